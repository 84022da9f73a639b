// Images sampled at positions that are data, and grids of such positions.
#include "lib/Import/ONNX/Operators/Sampling.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
enum class Mode { Nearest, Linear, Cubic };
enum class Padding { Zeros, Border, Reflection };

/// The settings by which an image is sampled.
struct Sampler {
  Mode mode;
  Padding padding;
  bool alignCorners;
  Type place, index, wide; // element types: of positions, of element indices, of sums
};
} // namespace

// ---- Positions in one dimension

/// Returns the coordinates of the borders: [-0.5, L - 0.5] contains all pixels, [0, L - 1] their centres.
static std::pair<Value, Value> borders(Node &node, const Sampler &sampler, const Dim &extent) {
  Value size = node.size(extent, sampler.place);
  double low = sampler.alignCorners ? 0 : -0.5, less = sampler.alignCorners ? 1 : 0.5;
  return {node.constant(low, sampler.place), node.emit<SubOp>({size, node.constant(less, sampler.place)})};
}

/// Reflects a position into [low, high], as between two mirrors; returns `low` if these are equal.
static Value reflect(Node &node, Value place, Value low, Value high) {
  Value room = node.emit<SubOp>({high, low}), twice = node.emit<AddOp>({room, room});
  Value along = node.emit<FloorModOp>({node.emit<SubOp>({place, low}), twice});
  Value back = node.emit<SelectOp>({node.compare(CompareKind::LE, along, room), along, node.emit<SubOp>({twice, along})});
  Value zero = node.constant(0, elementOfValue(place));
  back = node.emit<SelectOp>({node.compare(CompareKind::LE, room, zero), zero, back});
  return node.emit<AddOp>({low, back});
}

/// Moves a position outside the borders into the image.
static Value bringInside(Node &node, const Sampler &sampler, Value place, const Dim &extent) {
  if (sampler.padding == Padding::Zeros)
    return place;
  auto [low, high] = borders(node, sampler, extent);
  Value isOutside = node.emit<OrOp>({node.compare(CompareKind::LT, place, low), node.compare(CompareKind::GT, place, high)});
  Value last = node.size(extent - Dim(1), sampler.place);
  Value inside = sampler.padding == Padding::Border ? node.emit<ClampOp>({node.constant(0, sampler.place), place, last})
                                                    : reflect(node, place, low, high);
  return node.emit<SelectOp>({isOutside, inside, place});
}

static Value isWithin(Node &node, Value place, const Dim &extent) {
  Type type = elementOfValue(place);
  Value isBelow = node.compare(CompareKind::LT, place, node.size(extent, type));
  return node.emit<AndOp>({node.compare(CompareKind::GE, place, node.constant(0, type)), isBelow});
}

Taps onnximport::linearTaps(Node &node, Value place, const Dim &extent, Type index, Type wide) {
  Type type = elementOfValue(place);
  Value floor = node.emit<FloorOp>(place), next = node.emit<AddOp>({floor, node.constant(1, type)});
  Value ratio = node.convert(node.emit<SubOp>({place, floor}), wide);
  return {{node.convert(floor, index), isWithin(node, floor, extent), node.emit<SubOp>({node.constant(1, wide), ratio})},
          {node.convert(next, index), isWithin(node, next, extent), ratio}};
}

/// Returns the element at an integral position.
static Tap tapAt(Node &node, const Sampler &sampler, Value place, const Dim &extent, Value weight) {
  Value zero = node.constant(0, sampler.place), isInside;
  if (sampler.padding == Padding::Zeros) {
    isInside = isWithin(node, place, extent);
  } else if (sampler.padding == Padding::Border) {
    place = node.emit<ClampOp>({zero, place, node.size(extent - Dim(1), sampler.place)});
  } else {
    auto [low, high] = borders(node, sampler, extent);
    place = reflect(node, place, low, high);
  }
  return {node.convert(place, sampler.index), isInside, weight};
}

/// Returns ((a x + b) x + c) x + d.
static Value cubic(Node &node, Value x, double a, double b, double c, double d) {
  Type element = elementOfValue(x);
  Value sum = node.constant(a, element);
  for (double next : {b, c, d})
    sum = node.emit<AddOp>({node.emit<MulOp>({sum, x}), node.constant(next, element)});
  return sum;
}

/// Returns the weights of Keys' convolution (1981) with a = -0.75 for the elements at -1, 0, 1 and 2 and a position at `ratio`.
static SmallVector<Value, 4> cubicWeights(Node &node, Value ratio) {
  constexpr double a = -0.75;
  auto from = [&](double place, bool forward) {
    Value start = node.constant(place, elementOfValue(ratio));
    return forward ? node.emit<AddOp>({start, ratio}) : node.emit<SubOp>({start, ratio});
  };
  auto near = [&](Value x) { return cubic(node, x, a + 2, -(a + 3), 0, 1); };
  auto far = [&](Value x) { return cubic(node, x, a, -5 * a, 8 * a, -4 * a); };
  return {far(from(1, true)), near(ratio), near(from(1, false)), far(from(2, false))};
}

static Taps tapsOf(Node &node, const Sampler &sampler, Value normalized, const Dim &extent) {
  Type type = sampler.place;
  Value one = node.constant(1, type), half = node.constant(0.5, type), shifted = node.emit<AddOp>({normalized, one});
  Value place = sampler.alignCorners
                    ? node.emit<MulOp>({node.emit<MulOp>({shifted, half}), node.size(extent - Dim(1), type)})
                    : node.emit<MulOp>({node.emit<SubOp>({node.emit<MulOp>({shifted, node.size(extent, type)}), one}), half});
  if (sampler.mode == Mode::Nearest)
    place = node.emit<RoundOp>(place);
  place = bringInside(node, sampler, place, extent);
  if (sampler.mode == Mode::Nearest)
    return {tapAt(node, sampler, place, extent, Value())};
  Value floor = node.emit<FloorOp>(place), ratio = node.convert(node.emit<SubOp>({place, floor}), sampler.wide);
  SmallVector<Value, 4> weights{node.emit<SubOp>({node.constant(1, sampler.wide), ratio}), ratio};
  if (sampler.mode == Mode::Cubic)
    weights = cubicWeights(node, ratio);
  Taps taps;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    double offset = double(i) - (sampler.mode == Mode::Cubic ? 1 : 0);
    taps.push_back(tapAt(node, sampler, node.emit<AddOp>({floor, node.constant(offset, type)}), extent, weight));
  }
  return taps;
}

// ---- All dimensions

Taps onnximport::combine(Node &node, const Taps &before, const Taps &taps, const Dim &extent) {
  auto both = [&](auto emit, Value a, Value b) { return a && b ? emit(a, b) : a ? a : b; };
  Taps all;
  for (const Tap &first : before)
    for (const Tap &tap : taps) {
      Value row = node.emit<MulOp>({first.at, node.size(extent, elementOfValue(first.at))});
      all.push_back({node.emit<AddOp>({row, tap.at}),
                     both([&](Value a, Value b) { return node.emit<AndOp>({a, b}); }, first.isInside, tap.isInside),
                     both([&](Value a, Value b) { return node.emit<MulOp>({a, b}); }, first.weight, tap.weight)});
    }
  return all;
}

Value onnximport::readTaps(Node &node, Value x, const Taps &taps, Type wide) {
  Value sum;
  for (const Tap &tap : taps) {
    Value at = tap.at;
    if (tap.isInside) // gather reads zeros outside
      at = node.emit<SelectOp>({tap.isInside, at, node.constantInt(-1, elementOfValue(at))});
    Value part = node.gather(x, at, /*axis=*/2, /*batch=*/1);
    if (!tap.weight)
      return part;
    Dims dims = dimsOfValue(tap.weight);
    if (node.failed())
      return {};
    part = node.emit<MulOp>({node.convert(part, wide), node.reshape(tap.weight, {dims[0], Dim(1), dims[1]})});
    sum = sum ? node.emit<AddOp>({sum, part}) : part;
  }
  return node.convert(sum, elementOfValue(x));
}

Type onnximport::indexTypeFor(Node &node, const Dim &elements) {
  bool isSmall = elements.isStatic() && elements.constant() < (int64_t(1) << 30);
  return IntegerType::get(node.i64().getContext(), isSmall ? 32 : 64);
}

/// Reads the sampler, with the names of opset 16 and those from 20 on.
static std::optional<Sampler> readSampler(Node &node) {
  std::string mode = node.text("mode", "linear"), padding = node.text("padding_mode", "zeros");
  Sampler sampler{Mode::Nearest, Padding::Zeros, node.integer("align_corners", 0) != 0, {}, {}, {}};
  if (mode == "linear" || mode == "bilinear")
    sampler.mode = Mode::Linear;
  else if (mode == "cubic" || mode == "bicubic")
    sampler.mode = Mode::Cubic;
  else if (mode != "nearest")
    node.refuse("mode is '" + mode + "', expected nearest, linear or cubic");
  if (padding == "border")
    sampler.padding = Padding::Border;
  else if (padding == "reflection")
    sampler.padding = Padding::Reflection;
  else if (padding != "zeros")
    node.refuse("padding_mode is '" + padding + "', expected zeros, border or reflection");
  Type element = node.element(0), place = node.element(1);
  if (!isa_and_nonnull<FloatType>(place) || (sampler.mode != Mode::Nearest && !isa_and_nonnull<FloatType>(element)))
    node.refuse("the grid must be floating-point, and so must the image except in mode 'nearest'");
  sampler.place = Node::wide(place);
  sampler.wide = Node::wide(element);
  return node.failed() ? std::nullopt : std::optional(sampler);
}

static void gridSample(Node &node) {
  Value x = node.input(0), grid = node.input(1);
  std::optional<Sampler> sampler = readSampler(node);
  Dims dims = node.dims(0), places = node.dims(1);
  int64_t rank = int64_t(dims.size()) - 2;
  if (!sampler)
    return;
  if (rank < 1 || rank > 3 || int64_t(places.size()) != rank + 2 || places.back() != Dim(rank) || places[0] != dims[0])
    return node.refuse(
        "an image of shape " + str(dims) + " and a grid of shape " + str(places) +
        ", expected an image [N, C, ...] with 1 to 3 spatial dimensions, and a grid [N, ..., the number of spatial dimensions]");
  std::optional<Dim> elements = numElements(ArrayRef(dims).drop_front(2)),
                     results = numElements(ArrayRef(places).slice(1, rank));
  if (!elements || !results)
    return node.refuse("its size overflows 63 bits");
  sampler->index = indexTypeFor(node, *elements);
  Value rows = node.convert(node.reshape(grid, {dims[0], *results, Dim(rank)}), sampler->place);
  Taps taps;
  for (int64_t dim = 0; dim < rank; ++dim) { // the grid has the last dimension's position first
    Value normalized = node.reshape(node.slice(rows, 2, rank - 1 - dim, Dim(rank - dim)), {dims[0], *results});
    Taps own = tapsOf(node, *sampler, normalized, dims[2 + dim]);
    taps = dim ? combine(node, taps, own, dims[2 + dim]) : own;
  }
  Dims shape{dims[0], dims[1]};
  shape.append(places.begin() + 1, places.end() - 1);
  node.set(0, node.reshape(readTaps(node, node.reshape(x, {dims[0], dims[1], *elements}), taps, sampler->wide), shape));
}

// ---- AffineGrid

/// Returns the pixel centres of a dimension from -1 to 1. These are the centres of the first and last pixels, or their outer
/// edges.
static Value centres(Node &node, const Dim &extent, int64_t dim, ArrayRef<Dim> shape, bool alignCorners, Type type) {
  Value number = node.iota(dim, shape, type), one = node.constant(1, type);
  Value ratio;
  if (alignCorners) {
    Value room = node.emit<MaxOp>({node.size(extent - Dim(1), type), one}); // of a single pixel: -1
    ratio = node.emit<DivOp>({node.emit<AddOp>({number, number}), room});
  } else {
    ratio = node.emit<DivOp>({node.emit<AddOp>({node.emit<AddOp>({number, number}), one}), node.size(extent, type)});
  }
  return node.emit<SubOp>({ratio, one});
}

static void affineGrid(Node &node) {
  Value theta = node.input(0);
  Dims size = node.knownDims(1, "the sizes"), dims = node.dims(0);
  int64_t rank = int64_t(size.size()) - 2;
  bool alignCorners = node.integer("align_corners", 0);
  if (node.failed())
    return;
  if (!isa<FloatType>(node.element(0)) || (rank != 2 && rank != 3) || dims.size() != 3 || dims[1] != Dim(rank) ||
      dims[2] != Dim(rank + 1) || dims[0] != size[0])
    return node.refuse("theta of shape " + str(dims) + " for the size " + str(size) +
                       ", expected floats [N, 2, 3] for [N, C, H, W] or [N, 3, 4] for [N, C, D, H, W]");
  Type wide = Node::wide(node.element(0));
  theta = node.convert(theta, wide);
  Dims column(rank + 2, Dim(1));
  column.front() = dims[0];
  column.back() = Dim(rank);
  auto columnOf = [&](int64_t i) { return node.reshape(node.slice(theta, 2, i, Dim(i + 1)), column); };
  Value sum = columnOf(rank);
  for (int64_t i = 0; i < rank; ++i) { // theta has the last dimension's position first
    Dims shape(rank + 2, Dim(1));
    int64_t dim = rank - i;
    shape[dim] = size[dim + 1];
    sum = node.emit<AddOp>({sum, node.emit<MulOp>({columnOf(i), centres(node, shape[dim], dim, shape, alignCorners, wide)})});
  }
  node.set(0, node.convert(sum, node.element(0)));
}

void onnximport::addSampling(Converters &converters) {
  converters["GridSample"] = {gridSample, 2, 2, "align_corners,mode,padding_mode"};
  converters["AffineGrid"] = {affineGrid, 2, 2, "align_corners"};
}
