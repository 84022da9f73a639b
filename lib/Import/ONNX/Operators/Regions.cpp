// Images read between their elements at data-dependent positions: RoiAlign and DeformConv.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/Operators/Sampling.h"
#include "lib/Import/ONNX/Operators/Windows.h"
#include "lib/Support/Text.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

// ---- RoiAlign

namespace {
/// Images of C channels as a table of elements [N * H * W, C].
struct Reader {
  Value table, first; // the number of each region's first element, [R, 1, 1]
  Dim height, width;
  bool isMax;
  Type type; // of positions and sums

  Value read(Node &node, Value rows, Value columns) const;
};

/// Regions along one dimension, and the bins that divide them.
struct Bins {
  int64_t count;
  Value start, size; // [R, 1]: of the region, of a bin
};
} // namespace

/// Returns the bins of regions in the columns `low` and `low` + 2.
static Bins binsOf(Node &node, Value regions, int64_t low, int64_t count) {
  bool isHalfPixel = node.opset() >= 16 && node.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  Type type = elementOfValue(regions);
  Value scale = node.constant(node.real("spatial_scale", 1), type), half = node.constant(isHalfPixel ? 0.5 : 0, type);
  auto edge = [&](int64_t column) {
    return node.emit<SubOp>({node.emit<MulOp>({node.slice(regions, 1, column, Dim(column + 1)), scale}), half});
  };
  Value start = edge(low), size = node.emit<SubOp>({edge(low + 2), start});
  if (!isHalfPixel)
    size = node.emit<MaxOp>({size, node.constant(1, type)});
  return {count, start, node.emit<DivOp>({size, node.constant(count, type)})};
}

/// Returns the positions of bin numbers, [1 or R, P]: [R, P].
static Value placesAt(Node &node, const Bins &bins, Value numbers) {
  return node.emit<AddOp>({bins.start, node.emit<MulOp>({bins.size, numbers})});
}

/// Returns the two elements beside each position. Up to one pixel beyond the image it has the border's value, farther away 0.
static Taps borderTaps(Node &node, Value place, const Dim &extent) {
  Type type = elementOfValue(place);
  Value zero = node.constant(0, type), one = node.constant(1, type), last = node.size(extent - Dim(1), type);
  Value isInside = node.emit<AndOp>({node.compare(CompareKind::GE, place, node.constant(-1, type)),
                                     node.compare(CompareKind::LE, place, node.size(extent, type))});
  Value inside = node.emit<ClampOp>({zero, place, last}), floor = node.emit<FloorOp>(inside);
  Value ratio = node.emit<SubOp>({inside, floor}), next = node.emit<MinOp>({node.emit<AddOp>({floor, one}), last});
  return {{node.convert(floor, node.i64()), isInside, node.emit<SubOp>({one, ratio})},
          {node.convert(next, node.i64()), isInside, ratio}};
}

/// Returns the interpolated values at positions [R, P] and [R, Q]: [R, P, Q, C]. For max, the largest of the weighted elements
/// beside the positions.
Value Reader::read(Node &node, Value rows, Value columns) const {
  Dims down = dimsOfValue(rows), along = dimsOfValue(columns);
  if (node.failed())
    return {};
  Value nowhere = node.constantInt(-1, node.i64()), result; // gather reads zeros there
  for (const Tap &tap : combine(node, borderTaps(node, node.reshape(rows, {down[0], down[1], Dim(1)}), height),
                                borderTaps(node, node.reshape(columns, {down[0], Dim(1), along[1]}), width), width)) {
    Value at = node.emit<SelectOp>({tap.isInside, node.emit<AddOp>({first, tap.at}), nowhere});
    Value weight = node.reshape(tap.weight, {down[0], down[1], along[1], Dim(1)});
    Value part = node.emit<MulOp>({node.convert(node.gather(table, at, 0), type), weight});
    result = !result ? part : isMax ? node.emit<MaxOp>({result, part}) : node.emit<AddOp>({result, part});
  }
  return result;
}

/// Pools the same number of samples in each dimension of each bin: [R, rows, columns, C].
static Value poolEvenly(Node &node, const Reader &reader, const Bins &rows, const Bins &columns, int64_t samples) {
  auto places = [&](const Bins &bins) {
    SmallVector<double> numbers;
    for (int64_t i = 0; i < bins.count * samples; ++i)
      numbers.push_back((double(i) + 0.5) / double(samples));
    return placesAt(node, bins, node.realConstants(numbers, {1, int64_t(numbers.size())}, reader.type));
  };
  Value all = reader.read(node, places(rows), places(columns));
  Dims dims = dimsOfValue(all);
  if (node.failed())
    return {};
  all = node.reshape(all, {dims[0], Dim(rows.count), Dim(samples), Dim(columns.count), Dim(samples), dims[3]});
  Value result = node.reduce(reader.isMax ? ReduceKind::Max : ReduceKind::Sum, all, {2, 4}, /*keep=*/false);
  return reader.isMax ? result : node.emit<DivOp>({result, node.constant(samples * samples, reader.type)});
}

/// Emits steps 0, 1, ... up to a count that is data, as a lathe.while. Each step applies `next` to the value and the step.
static Value repeatSteps(Node &node, Value count, Value first, function_ref<Value(Value value, Value step)> next) {
  constexpr int64_t kMostSteps = int64_t(1) << 24; // ends with a status rather than never
  OpBuilder &builder = node.getGraph().getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  Location location = node.getLocation();
  Value zero = node.constantInt(0, node.i64()), one = node.constantInt(1, node.i64());
  if (node.failed())
    return {};
  Block body; // not in the op: sizes that it needs are created before the op
  Value step = body.addArgument(zero.getType(), location), value = body.addArgument(first.getType(), location);
  builder.setInsertionPointToEnd(&body);
  Value result = next(value, step), following = node.emit<AddOp>({step, one});
  if (node.failed())
    return {};
  YieldOp::create(builder, location, ValueRange{following, result});
  builder.restoreInsertionPoint(here);
  auto op = WhileOp::create(builder, location, ValueRange(), ValueRange{zero, first}, builder.getI64IntegerAttr(kMostSteps));
  Block &condition = op.getCondition().front(), &block = op.getBody().front();
  step.replaceAllUsesWith(block.getArgument(0));
  value.replaceAllUsesWith(block.getArgument(1));
  block.getOperations().splice(block.end(), body.getOperations());
  builder.setInsertionPointToEnd(&condition);
  ConditionOp::create(builder, location, node.compare(CompareKind::LT, condition.getArgument(0), count));
  closeRegions(op);
  return op.getResult(1);
}

/// Pools as many samples in each bin as it is pixels long, rounded up: one step for each sample of the longest bin.
static Value poolByPixels(Node &node, const Reader &reader, const Bins &rows, const Bins &columns, const Dim &channels) {
  Dims regions = dimsOfValue(rows.start);
  if (node.failed())
    return {};
  Type i64 = node.i64();
  Value zero = node.constantInt(0, i64), one = node.constantInt(1, i64), most = node.constantInt(1 << 20, i64);
  auto samplesOf = [&](const Bins &bins) { // [R, 1]; products of two are numbers
    return node.emit<ClampOp>({zero, node.convert(node.emit<CeilOp>(bins.size), i64), most});
  };
  Value down = samplesOf(rows), along = samplesOf(columns);
  Value wide = node.emit<MaxOp>({node.reduce(ReduceKind::Max, along, {0, 1}, /*keep=*/false), one});
  Value steps = node.emit<MulOp>({node.reduce(ReduceKind::Max, down, {0, 1}, /*keep=*/false), wide});
  auto places = [&](const Bins &bins, Value samples, Value number) {
    Value half = node.emit<AddOp>({node.convert(number, reader.type), node.constant(0.5, reader.type)});
    Value within = node.emit<DivOp>({half, node.convert(node.emit<MaxOp>({samples, one}), reader.type)});
    return placesAt(node, bins, node.emit<AddOp>({node.iota(1, {Dim(1), Dim(bins.count)}, reader.type), within}));
  };
  auto apart = [&](Value each) { return node.reshape(each, {regions[0], Dim(1), Dim(1), Dim(1)}); };
  Dims shape{regions[0], Dim(rows.count), Dim(columns.count), channels};
  Value none = node.constant(reader.isMax ? -INFINITY : 0, reader.type), empty = node.constant(0, reader.type);
  Value all = repeatSteps(node, steps, node.broadcast(none, {}, shape), [&](Value value, Value step) {
    Value row = node.emit<DivOp>({step, wide}), column = node.emit<RemOp>({step, wide});
    Value isOne = node.emit<AndOp>({node.compare(CompareKind::LT, row, down), node.compare(CompareKind::LT, column, along)});
    Value sample = reader.read(node, places(rows, down, row), places(columns, along, column));
    Value with = reader.isMax ? node.emit<MaxOp>({value, sample}) : node.emit<AddOp>({value, sample});
    return node.emit<SelectOp>({apart(isOne), with, value});
  });
  Value count = node.emit<MulOp>({down, along});
  Value isNone = apart(node.compare(CompareKind::EQ, count, zero));
  if (!reader.isMax)
    all = node.emit<DivOp>({all, node.convert(apart(node.emit<MaxOp>({count, one})), reader.type)});
  return node.emit<SelectOp>({isNone, empty, all});
}

static void roiAlign(Node &node) {
  Value x = node.input(0), regions = node.input(1), images = node.input(2);
  Dims dims = node.dims(0), places = node.dims(1);
  std::string mode = node.text("mode", "avg"), coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  int64_t height = node.integer("output_height", 1), width = node.integer("output_width", 1),
          samples = node.integer("sampling_ratio", 0);
  if (mode != "avg" && mode != "max")
    node.refuse("mode is '" + mode + "', expected avg or max");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    node.refuse("coordinate_transformation_mode is '" + coordinates + "', expected half_pixel or output_half_pixel");
  if (height < 1 || width < 1 || samples < 0 || std::max({height, width, samples}) > 1024)
    node.refuse("output_height, output_width and sampling_ratio are " + listText({height, width, samples}) +
                ", expected 1 to 1024, or 0 for sampling_ratio");
  if (!node.failed() && (dims.size() != 4 || places.size() != 2 || places[1] != Dim(4) || node.dims(2) != Dims{places[0]}))
    node.refuse("operands of shape " + str(dims) + ", " + str(places) + " and " + str(node.dims(2)) +
                ", expected images [N, C, H, W], regions [R, 4] and image indices [R]");
  if (!isa_and_nonnull<FloatType>(node.element(0)))
    node.refuse("expected images of floats");
  if (node.failed())
    return;
  Type wide = Node::wide(node.element(0));
  Value first = node.emit<MulOp>({node.convert(images, node.i64()), node.size(dims[2] * dims[3], node.i64())});
  Reader reader{node.reshape(node.transpose(x, {0, 2, 3, 1}), {dims[0] * dims[2] * dims[3], dims[1]}),
                node.reshape(first, {places[0], Dim(1), Dim(1)}),
                dims[2],
                dims[3],
                mode == "max",
                wide};
  regions = node.convert(regions, wide);
  Bins rows = binsOf(node, regions, 1, height), columns = binsOf(node, regions, 0, width);
  Value pooled =
      samples ? poolEvenly(node, reader, rows, columns, samples) : poolByPixels(node, reader, rows, columns, dims[1]);
  node.set(0, node.convert(node.transpose(pooled, {0, 3, 1, 2}), node.element(0)));
}

// ---- DeformConv

namespace {
/// Sizes of a convolution whose filter taps each have their own position.
struct Deformed {
  Dims images, filter, results; // [N, C, ...], [F, C / group, ...], [...]
  Windows windows;
  int64_t taps = 1, groups = 1, offsetGroups = 1;
  Dim elements, places; // of an image, of a result
  int64_t rank() const { return windows.rank(); }
};
} // namespace

static std::optional<Deformed> readDeformed(Node &node) {
  Value x = node.input(0), filter = node.input(1);
  if (!checkConvolution(node, x, filter))
    return std::nullopt;
  Deformed sizes{dimsOf(x), dimsOf(filter), {}, {}, 1, node.integer("group", 1), node.integer("offset_group", 1), {}, {}};
  ArrayRef<Dim> spatial = ArrayRef(sizes.images).drop_front(2);
  Integers kernel;
  for (const Dim &dim : ArrayRef(sizes.filter).drop_front(2)) {
    if (!dim.isStatic() || (sizes.taps *= dim.constant()) > 1024)
      return node.refuse("a filter of shape " + str(sizes.filter) + ", expected fixed sizes and at most 1024 taps"),
             std::nullopt;
    kernel.push_back(dim.constant());
  }
  sizes.windows = readWindows(node, spatial, kernel);
  Dims offset = node.dims(2);
  std::optional<Dim> elements = numElements(spatial),
                     places = numElements(ArrayRef(offset).drop_front(std::min<size_t>(2, offset.size())));
  int64_t rank = sizes.rank();
  if (!node.failed() && (int64_t(offset.size()) != rank + 2 || offset[0] != sizes.images[0] || rank > 3 ||
                         offset[1] != Dim(sizes.offsetGroups * sizes.taps * rank) || !elements || !places))
    node.refuse("an offset of shape " + str(offset) + ", expected [N, " + Twine(sizes.offsetGroups * sizes.taps * rank) +
                ", ...] with up to 3 spatial dimensions");
  auto divides = [](int64_t groups, const Dim &channels) { return groups > 0 && channels.dividedBy(groups); };
  if (!node.failed() && (!divides(sizes.groups, sizes.filter[0]) || !divides(sizes.offsetGroups, sizes.images[1]) ||
                         sizes.filter[1] * Dim(sizes.groups) != sizes.images[1]))
    node.refuse("images of shape " + str(sizes.images) + " and weights of shape " + str(sizes.filter) + " do not divide into " +
                Twine(sizes.groups) + " groups, or channels into " + Twine(sizes.offsetGroups) + " of offsets");
  for (int64_t i = 0; i < rank && !node.failed(); ++i) {
    const Windows &windows = sizes.windows;
    Dim room = spatial[i] + Dim(windows.low[i] + windows.high[i] - windows.reach(i));
    if (room.isStatic() && offset[2 + i] != Dim(room.constant() < 0 ? 0 : room.constant() / windows.strides[i] + 1))
      node.refuse("an offset of shape " + str(offset) + " for images of shape " + str(sizes.images) +
                  ", whose result has another size");
  }
  if (node.failed())
    return std::nullopt;
  sizes.results.assign(offset.begin() + 2, offset.end());
  sizes.elements = *elements;
  sizes.places = *places;
  return sizes;
}

/// Returns the positions of the taps in dimension `dim`, [N * offset groups, taps * places].
static Value tapPlaces(Node &node, const Deformed &sizes, Value offset, int64_t dim) {
  const Windows &windows = sizes.windows;
  Type type = elementOfValue(offset);
  Dim groups = sizes.images[0] * Dim(sizes.offsetGroups);
  Value moved = node.reshape(offset, {groups, Dim(sizes.taps), Dim(sizes.rank()), sizes.places});
  moved = node.reshape(node.slice(moved, 2, dim, Dim(dim + 1)), {groups, Dim(sizes.taps), sizes.places});
  int64_t inner = 1;
  for (int64_t i = dim + 1; i < sizes.rank(); ++i)
    inner *= windows.kernel[i];
  SmallVector<double> taps;
  for (int64_t tap = 0; tap < sizes.taps; ++tap)
    taps.push_back(double(tap / inner % windows.kernel[dim] * windows.dilations[dim] - windows.low[dim]));
  Value start = node.reshape(node.iota(dim, sizes.results, type), {Dim(1), Dim(1), sizes.places});
  start = node.emit<MulOp>({start, node.constant(windows.strides[dim], type)});
  Value regular = node.emit<AddOp>({start, node.realConstants(taps, {1, sizes.taps, 1}, type)});
  return node.reshape(node.emit<AddOp>({regular, moved}), {groups, Dim(sizes.taps) * sizes.places});
}

/// Returns the value of each channel at each tap, times the mask: [N, C, taps * places].
static Value readColumns(Node &node, const Deformed &sizes, Value x, Value offset, Value mask, Type wide) {
  Type index = indexTypeFor(node, sizes.elements);
  Taps taps;
  for (int64_t dim = 0; dim < sizes.rank(); ++dim) {
    const Dim &extent = sizes.images[2 + dim];
    Taps own = linearTaps(node, tapPlaces(node, sizes, offset, dim), extent, index, wide);
    taps = dim ? combine(node, taps, own, extent) : own;
  }
  Dim groups = sizes.images[0] * Dim(sizes.offsetGroups), width = Dim(sizes.taps) * sizes.places;
  Value columns =
      readTaps(node, node.reshape(x, {groups, *sizes.images[1].dividedBy(sizes.offsetGroups), sizes.elements}), taps, wide);
  if (mask)
    columns = node.emit<MulOp>({columns, node.reshape(mask, {groups, Dim(1), width})});
  return node.reshape(columns, {sizes.images[0], sizes.images[1], width});
}

static void deformConv(Node &node) {
  std::optional<Deformed> sizes = readDeformed(node);
  Type element = node.element(0), wide = Node::wide(element);
  if (!isa_and_nonnull<FloatType>(element))
    node.refuse("expected images of floats");
  if (!sizes || node.failed())
    return;
  Dim groups(sizes->groups), batch = sizes->images[0], taps(sizes->taps), channels = sizes->filter[1],
                             features = *sizes->filter[0].dividedBy(sizes->groups);
  Value x = node.convert(node.input(0), wide), filter = node.convert(node.input(1), wide);
  Value offset = node.convert(node.input(2), wide), mask = node.has(4) ? node.convert(node.input(4), wide) : Value();
  Dims masks{batch, Dim(sizes->offsetGroups) * taps};
  masks.append(sizes->results);
  if (mask && dimsOfValue(mask) != masks)
    node.refuse("a mask of shape " + str(dimsOfValue(mask)) + ", expected " + str(masks));
  Value columns = readColumns(node, *sizes, x, offset, mask, wide);
  columns = node.reshape(columns, {batch, groups, channels, taps, sizes->places});
  filter = node.reshape(filter, {groups, features, channels, taps});
  Value y = node.contract(filter, columns, {2, 3}, {2, 3}, 0, 1); // [groups, features, N, places]
  y = node.reshape(node.transpose(y, {2, 0, 1, 3}), {batch, sizes->filter[0], sizes->places});
  if (node.has(3)) {
    Value bias = node.convert(node.input(3), wide);
    if (dimsOfValue(bias) != Dims{sizes->filter[0]})
      node.refuse("the bias has the shape " + str(dimsOfValue(bias)) + ", expected [" + sizes->filter[0].str() + "]");
    y = node.emit<AddOp>({y, node.reshape(bias, {sizes->filter[0], Dim(1)})});
  }
  Dims result{batch, sizes->filter[0]};
  result.append(sizes->results);
  node.set(0, node.convert(node.reshape(y, result), element));
}

void onnximport::addRegions(Converters &converters) {
  converters["RoiAlign"] = {roiAlign, 3, 3,
                            "coordinate_transformation_mode,mode,output_height,output_width,sampling_ratio,spatial_scale"};
  converters["DeformConv"] = {deformConv, 3, 5, "dilations,group,kernel_shape,offset_group,pads,strides"};
}
