// Resize and Upsample: along each dimension, a result element is a weighted sum of a few elements, at positions that follow
// from the sizes.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Import/ONNX/Operators/Lanes.h"
#include "lib/Import/ONNX/Operators/Operators.h"
#include "lib/Import/ONNX/Quotients.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The resizing of one dimension; T is double, or Lanes if sizes have names.
template <typename T>
struct Axis {
  T from, to, scale;
  T aligned;                 // the length whose last element aligned corners put at the image's last one
  double shrink = 1;         // of an antialiasing kernel, which is as wide as the elements of the result
  double start = 0, end = 1; // of the region of interest
};

/// Node attributes that hold for all dimensions.
struct Method {
  std::string mode, coordinates, nearest;
  bool excludes, antialias;
  double a; // the cubic kernel's coefficient

  /// Number of elements on either side of a position that contribute.
  int64_t reach(double shrink) const { return mode == "nearest" ? 0 : std::ceil((mode == "linear" ? 1 : 2) / shrink); }
};

/// The elements that contribute to one element of the result, or to all as lanes: their positions and weights, and true if the
/// position is outside the image.
template <typename T>
struct Taps {
  SmallVector<T> places, weights;
  std::optional<Truth<T>> outside;
};
} // namespace

/// Returns the operand's position for position x of the result; f32 arithmetic would round it differently.
template <typename T>
static T sourceOf(const Axis<T> &axis, T x, StringRef mode) {
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / axis.scale;
  if (mode == "half_pixel")
    return (x + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return choose(isGreater(axis.to, 1), (x + 0.5) / axis.scale - 0.5, x * 0.0);
  if (mode == "align_corners")
    return choose(isEqual(axis.aligned, 1), x * 0.0, x * (axis.from - 1.0) / (axis.aligned - 1.0));
  if (mode == "half_pixel_symmetric") {
    T adjustment = axis.to / (axis.scale * axis.from), offset = axis.from / 2.0 * (adjustment * -1.0 + 1.0);
    return (x + 0.5) / axis.scale + offset - 0.5;
  }
  // tf_crop_and_resize
  T last = axis.from - 1.0;
  T steps = x * (axis.end - axis.start) * last / (axis.to - 1.0) + last * axis.start;
  return choose(isGreater(axis.to, 1), steps, x * 0.0 + last * (0.5 * (axis.start + axis.end)));
}

template <typename T>
static T nearestTo(T place, StringRef mode) {
  if (mode == "round_prefer_floor")
    return ceilOf(place - 0.5);
  if (mode == "round_prefer_ceil")
    return floorOf(place + 0.5);
  return mode == "floor" ? floorOf(place) : ceilOf(place);
}

/// Returns the kernel's weight at this distance.
template <typename T>
static T kernelAt(T distance, const Method &method) {
  double a = method.a;
  T x = absOf(distance);
  if (method.mode == "linear")
    return choose(isGreater(x * -1.0, -1), x * -1.0 + 1.0, x * 0.0);
  T near = (x * (a + 2) - (a + 3)) * x * x + 1.0, far = ((x * a - 5 * a) * x + 8 * a) * x - 4 * a;
  return choose(isGreater(x, 1), choose(isGreater(x * -1.0, -2), far, x * 0.0), near);
}

template <typename T>
static Taps<T> tapsAt(const Axis<T> &axis, T x, const Method &method) {
  T place = sourceOf(axis, x, method.coordinates), last = axis.from - 1.0;
  Taps<T> taps;
  if (method.coordinates == "tf_crop_and_resize")
    taps.outside = either(isGreater(place * -1.0, 0), isGreater(place - last, 0));
  int64_t reach = method.reach(axis.shrink);
  T first = reach ? floorOf(place) : nearestTo(place, method.nearest);
  std::optional<T> sum;
  for (int64_t i = reach ? 1 - reach : 0; i <= reach; ++i) {
    T at = first + double(i), weight = x * 0.0 + 1.0;
    if (reach)
      weight = kernelAt((at - place) * axis.shrink, method);
    if (method.excludes)
      weight = choose(either(isGreater(at * -1.0, 0), isGreater(at - last, 0)), x * 0.0, weight);
    sum = sum ? *sum + weight : weight;
    taps.places.push_back(smaller(larger(at, 0.0), last));
    taps.weights.push_back(weight);
  }
  if (reach && (method.excludes || axis.shrink < 1))
    for (T &weight : taps.weights)
      weight = weight / *sum;
  return taps;
}

/// Replaces the elements of x that are outside the image, by a list of booleans for a dimension.
static Value extrapolate(Node &node, Value x, int64_t dim, Value outside) {
  Dims shape(rankOf(x), Dim(1));
  if (node.failed())
    return {};
  shape[dim] = dimsOfValue(outside)[0];
  Value value = node.constant(node.real("extrapolation_value", 0), elementOfValue(x));
  return node.emit<SelectOp>({node.reshape(outside, shape), value, x});
}

/// One tap of all elements of the result: indices along a dimension, and weights, null if all of them are 1.
using TapValues = std::pair<Value, Value>;

/// Returns a dimension as sums of weighted elements of it.
static Value resizeAxis(Node &node, Value x, int64_t dim, ArrayRef<TapValues> taps, Value outside) {
  Type element = elementOfValue(x);
  Dims shape(rankOf(x), Dim(1));
  auto along = [&](Value list) {
    shape[dim] = dimsOfValue(list)[0];
    return node.reshape(list, shape);
  };
  Value sum;
  for (auto [indices, weights] : taps) {
    Value part = node.gather(x, indices, dim);
    if (node.failed())
      return {};
    if (weights)
      part = node.emit<MulOp>({part, along(node.convert(weights, element))});
    sum = sum ? node.emit<AddOp>({sum, part}) : part;
  }
  return outside ? extrapolate(node, sum, dim, outside) : sum;
}

/// Resizes a dimension of a known size: taps are tables.
static Value resizeByTables(Node &node, Value x, int64_t dim, const Axis<double> &axis, const Method &method) {
  std::vector<Integers> places;
  std::vector<SmallVector<double>> weights;
  Integers outside;
  for (int64_t i = 0; i < int64_t(axis.to); ++i) {
    Taps<double> taps = tapsAt<double>(axis, double(i), method);
    places.resize(taps.places.size());
    weights.resize(places.size());
    for (auto [tap, place, weight] : llvm::enumerate(taps.places, taps.weights)) {
      places[tap].push_back(int64_t(place));
      weights[tap].push_back(weight);
    }
    if (taps.outside)
      outside.push_back(*taps.outside);
  }
  int64_t to = int64_t(axis.to);
  SmallVector<TapValues> taps;
  for (auto [place, weight] : llvm::zip_equal(places, weights))
    taps.emplace_back(node.constants(place, to, node.i64()),
                      places.size() > 1 ? node.realConstants(weight, to, elementOfValue(x)) : Value());
  bool hasOutside = llvm::is_contained(outside, 1);
  return resizeAxis(node, x, dim, taps, hasOutside ? node.constants(outside, to, node.i1()) : Value());
}

/// Resizes a dimension of a named size: the same arithmetic on a list of positions, at run time.
static Value resizeByLanes(Node &node, Value x, int64_t dim, const Axis<Lanes> &axis, const Dim &to, const Method &method) {
  Type wide = Float64Type::get(node.i64().getContext());
  Lanes at(node, node.convert(node.iota(0, to, node.i64()), wide));
  Taps<Lanes> lanes = tapsAt<Lanes>(axis, at, method);
  SmallVector<TapValues> taps;
  for (auto [place, weight] : llvm::zip_equal(lanes.places, lanes.weights))
    taps.emplace_back(node.convert(place.value, node.i64()), lanes.places.size() > 1 ? weight.value : Value());
  return resizeAxis(node, x, dim, taps, lanes.outside ? lanes.outside->value : Value());
}

/// Shrinks a dimension by an antialiasing kernel whose scale is known only at run time: a product with a matrix of the weights
/// of all elements in each element of the result. `widest` is at least 1 / scale.
static Value resizeByMatrix(Node &node, Value x, int64_t dim, const Axis<Lanes> &axis, const Dim &to, const Dim &widest,
                            const Method &method) {
  Type wide = Float64Type::get(node.i64().getContext());
  Dim from = dimsOfValue(x)[dim], around = widest * Dim(method.reach(1)), length = from + around * Dim(2);
  Lanes last = axis.from - 1.0, shrink = smaller(axis.scale, axis.scale * 0.0 + 1.0);
  auto grid = [&](int64_t along, ArrayRef<Dim> shape) {
    return Lanes(node, node.convert(node.iota(along, shape, node.i64()), wide));
  };
  auto placesOf = [&](Lanes at) { return at - sizeAsLanes(node, around); }; // positions outside the image read its edge
  Lanes at = placesOf(grid(1, {to, length}));
  Lanes weights = kernelAt((at - sourceOf(axis, grid(0, {to, length}), method.coordinates)) * shrink, method);
  if (method.excludes)
    weights = choose(either(isGreater(at * -1.0, 0), isGreater(at - last, 0)), weights * 0.0, weights);
  weights = weights / Lanes(node, node.reduce(ReduceKind::Sum, weights.value, 1, /*keep=*/true));
  Lanes places = smaller(larger(placesOf(grid(0, length)), 0.0), last);
  Value wider = node.gather(x, node.convert(places.value, node.i64()), dim);
  Value sums = node.contract(wider, node.convert(weights.value, elementOfValue(x)), dim, 1); // [others..., to]
  Integers order = range(0, rankOf(x) - 1);
  order.insert(order.begin() + dim, rankOf(x) - 1);
  Value y = node.transpose(sums, order);
  std::optional<LaneTruths> outside = tapsAt<Lanes>(axis, grid(0, to), method).outside;
  return outside ? extrapolate(node, y, dim, outside->value) : y;
}

/// Enlarges a dimension of a named size by a whole factor: each element is repeated.
static Value repeat(Node &node, Value x, int64_t dim, int64_t times) {
  Dims apart = dimsOfValue(x), result = apart;
  if (node.failed())
    return {};
  result[dim] = result[dim] * Dim(times);
  apart.insert(apart.begin() + dim + 1, Dim(1));
  Dims wide = apart;
  wide[dim + 1] = Dim(times);
  return node.reshape(node.broadcastTo(node.reshape(x, apart), wide), result);
}

/// True if nearest-neighbour resizing by a whole factor repeats each element `scale` times. Tested with one size for all.
static bool isRepeat(double scale, const Method &method) {
  bool local =
      method.coordinates == "asymmetric" || method.coordinates == "half_pixel" || method.coordinates == "pytorch_half_pixel";
  if (method.mode != "nearest" || !local || scale != std::floor(scale) || scale < 1 || scale > 64)
    return false;
  Axis<double> axis{5, 5 * scale, scale, 5 * scale};
  for (int64_t x = 0; x < int64_t(axis.to); ++x)
    if (tapsAt<double>(axis, double(x), method).places[0] != double(x / int64_t(scale)))
      return false;
  return true;
}

namespace {
/// The operands' scales or sizes for each of the axes.
struct Request {
  Integers axes;
  SmallVector<double> scales; // empty: sizes
  Dims sizes;
  SmallVector<double> roi;     // starts, then ends
  std::optional<Lanes> common; // the common scale of all axes under a policy, for named sizes
  Dim widest;                  // at least 1 / common
};
} // namespace

static std::optional<Request> readRequest(Node &node) {
  Request request;
  int64_t rank = node.rank(0);
  bool old = node.opset() < 11 || node.op() == "Upsample";
  request.axes = node.hasAttribute("axes") ? Integers() : range(0, rank);
  for (int64_t axis : node.integers("axes"))
    request.axes.push_back(node.axis(axis, rank));
  size_t count = request.axes.size();
  auto isGiven = [&](int input) { return node.has(input) && node.dims(input) != Dims{Dim(0)}; };
  int scales = old ? 1 : 2;
  if (node.op() == "Upsample" && node.opset() < 7)
    request.scales = {1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
  else if (node.op() == "Upsample" && node.opset() < 9)
    request.scales = node.reals("scales");
  else if (isGiven(scales))
    request.scales = node.knownReals(scales, "scales");
  else if (!old && isGiven(3))
    request.sizes = node.knownDims(3, "the sizes");
  else
    node.refuse("it has neither scales nor sizes");
  if (!old && isGiven(1) && node.text("coordinate_transformation_mode", "") == "tf_crop_and_resize")
    request.roi = node.knownReals(1, "roi");
  if (!node.failed() && ((request.scales.empty() ? request.sizes.size() : request.scales.size()) != count ||
                         (!request.roi.empty() && request.roi.size() != 2 * count)))
    node.refuse("scales, sizes and roi must have one entry per axis");
  return node.failed() ? std::nullopt : std::optional(request);
}

/// Sets the larger or smaller scale of named sizes, and the resulting sizes. Rounding keeps the order of scales.
static void keepOpenAspect(Node &node, Request &request, bool isSmaller) {
  Dims dims = node.dims(0), sizes = request.sizes;
  for (auto [axis, size] : llvm::zip_equal(request.axes, sizes)) {
    Lanes scale = sizeAsLanes(node, size) / sizeAsLanes(node, dims[axis]);
    Dim width = floorDiv(dims[axis], size) + Dim(1);
    bool isFirst = !request.common;
    Lanes before = isFirst ? scale : *request.common;
    request.common = isSmaller ? before.with<MinOp>(scale.value) : before.with<MaxOp>(scale.value);
    request.widest = isFirst ? width : isSmaller ? maxOf(request.widest, width) : minOf(request.widest, width);
    for (auto [other, result] : llvm::zip_equal(request.axes, request.sizes)) {
      Dim given = other == axis ? size : floorDiv(size * dims[other] * Dim(2) + dims[axis], dims[axis] * Dim(2));
      result = isFirst ? given : isSmaller ? minOf(result, given) : maxOf(result, given);
    }
  }
}

/// Applies a policy: the larger or smaller scale of the sizes holds for all.
static void keepAspect(Node &node, Request &request) {
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || request.sizes.empty())
    return;
  if (policy != "not_larger" && policy != "not_smaller")
    return node.refuse("keep_aspect_ratio_policy '" + policy + "' is not supported");
  Dims dims = node.dims(0);
  std::optional<double> common;
  bool isOpen = false;
  for (auto [axis, size] : llvm::zip_equal(request.axes, request.sizes)) {
    isOpen |= !size.isStatic() || !dims[axis].isStatic();
    for (const Dim &each : {size, dims[axis]})
      if (each.isStatic() && each.constant() < 1)
        return node.refuse("sizes must be positive");
  }
  if (isOpen)
    return keepOpenAspect(node, request, policy == "not_larger");
  for (auto [axis, size] : llvm::zip_equal(request.axes, request.sizes)) {
    double scale = double(size.constant()) / dims[axis].constant();
    common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
  }
  request.scales.assign(request.axes.size(), common.value_or(1));
  for (auto [axis, size] : llvm::zip_equal(request.axes, request.sizes))
    size = Dim(int64_t(std::floor(*common * dims[axis].constant() + 0.5)));
}

/// Returns the size for a scale, rounded down: 5 by 1.4 is 7, as in ONNX Runtime, though 1.4 is a little less in f32.
static Dim scaledSize(const Dim &from, double scale) {
  if (auto fraction = fractionOf(scale, /*isSingle=*/true))
    return floorDiv(from * Dim(fraction->first), fraction->second);
  return from.isStatic() ? Dim(int64_t(std::floor(from.constant() * scale))) : Dim::unknown();
}

/// Resizes one dimension of the request.
static Value resizeDim(Node &node, Value x, const Request &request, size_t i, const Method &method) {
  int64_t dim = request.axes[i];
  Dim from = dimsOfValue(x)[dim];
  bool scaled = !request.scales.empty();
  bool stays = scaled ? request.scales[i] == 1 : request.sizes[i] == from && !request.common;
  if (stays && method.coordinates != "tf_crop_and_resize")
    return x;
  if (scaled && !(request.scales[i] > 0))
    return node.refuse("scales must be positive"), Value();
  Dim to = !request.sizes.empty() ? request.sizes[i] : scaledSize(from, request.scales[i]);
  if (to.isStatic(0)) // also of an image without elements
    return node.slice(x, dim, 0, Dim(0));
  if (to.isUnknown() || from.isStatic(0) || (to.isStatic() && (to.constant() < 0 || to.constant() > 1 << 24)))
    return node.refuse("the size " + from.str() + " cannot be resized to " + to.str() + ", expected at most 2^24 elements"),
           Value();
  std::optional<Dim> factor = divide(to, from);
  if (!from.isStatic() && factor && factor->isStatic() && !request.common && isRepeat(factor->constant(), method))
    return repeat(node, x, dim, factor->constant());
  bool isKnown = from.isStatic() && to.isStatic() && !request.common;
  std::optional<double> scale = scaled ? std::optional(request.scales[i]) : std::nullopt;
  if (!scale && isKnown)
    scale = double(to.constant()) / from.constant();
  if (method.antialias && scale && *scale < 1.0 / 64)
    return node.refuse("antialias supports downscaling by scales of at least 1/64 only"), Value();
  double shrink = method.antialias && scale ? std::min(*scale, 1.0) : 1;
  double start = request.roi.empty() ? 0 : request.roi[i], end = request.roi.empty() ? 1 : request.roi[i + request.axes.size()];
  // ONNX's own tests shrink with the length before rounding. Frameworks and ONNX Runtime always use the result's length.
  bool isFraction = request.sizes.empty() && *scale < 1;
  if (isKnown) {
    double old = from.constant(), made = to.constant();
    return resizeByTables(node, x, dim, {old, made, *scale, isFraction ? old * *scale : made, shrink, start, end}, method);
  }
  Lanes old = sizeAsLanes(node, from), made = sizeAsLanes(node, to), by = made / old;
  if (scale)
    by = old * 0.0 + *scale;
  else if (request.common)
    by = *request.common;
  Dim widest = request.common ? request.widest : floorDiv(from, to) + Dim(1);
  Axis<Lanes> axis{old, made, by, isFraction ? old * by : made, shrink, start, end};
  if (method.antialias && !scale && method.mode != "nearest")
    return resizeByMatrix(node, x, dim, axis, to, widest, method);
  return resizeByLanes(node, x, dim, axis, to, method);
}

/// Reads the method. Refuses modes that ONNX does not have.
static std::optional<Method> readMethod(Node &node) {
  bool old = node.opset() < 11 || node.op() == "Upsample";
  Method method{
      node.text("mode", "nearest"),      node.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
      node.text("nearest_mode", ""),     node.integer("exclude_outside", 0) != 0,
      node.integer("antialias", 0) != 0, node.real("cubic_coeff_a", -0.75)};
  if (method.mode == "bilinear" || method.mode == "trilinear")
    method.mode = "linear";
  auto isOneOf = [](StringRef text, std::initializer_list<StringRef> names) { return llvm::is_contained(names, text); };
  if (!isOneOf(method.mode, {"nearest", "linear", "cubic"}))
    node.refuse("mode '" + method.mode + "' is not supported");
  if (!isOneOf(method.coordinates, {"asymmetric", "tf_half_pixel_for_nn", "half_pixel", "pytorch_half_pixel", "align_corners",
                                    "half_pixel_symmetric", "tf_crop_and_resize"}))
    node.refuse("coordinate_transformation_mode '" + method.coordinates + "' is not supported");
  if (!isOneOf(method.nearest, {"", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}))
    node.refuse("nearest_mode '" + method.nearest + "' is not supported");
  return node.failed() ? std::nullopt : std::optional(method);
}

static void resize(Node &node) {
  std::optional<Method> method = readMethod(node);
  if (!method)
    return;
  Value x = node.input(0);
  Type element = node.element(0);
  if (method->mode != "nearest" && !isa_and_nonnull<FloatType>(element))
    return node.refuse("integer images can only be resized with mode 'nearest'");
  std::optional<Request> request = readRequest(node);
  if (!request)
    return;
  keepAspect(node, *request);
  Type wide = method->mode != "nearest" ? node.wide(element) : element;
  x = node.convert(x, wide);
  for (size_t i = 0; i < request->axes.size() && !node.failed(); ++i) {
    Method own = *method;
    if (own.nearest.empty()) // in old versions, rounding depends on whether the image shrinks
      own.nearest = node.opset() >= 11                                   ? "round_prefer_floor"
                    : !request->scales.empty() && request->scales[i] < 1 ? "ceil"
                                                                         : "floor";
    x = resizeDim(node, x, *request, i, own);
  }
  node.set(0, node.convert(x, element));
}

void onnximport::addResize(Converters &converters) {
  converters["Resize"] = {resize, 1, 4,
                          "antialias,axes,coordinate_transformation_mode,cubic_coeff_a,exclude_outside,extrapolation_value,"
                          "keep_aspect_ratio_policy,mode,nearest_mode"};
  converters["Upsample"] = {resize, 1, 2, "height_scale,mode,scales,width_scale"};
}
