// Resize and Upsample: along each dimension, a result element is a weighted sum of few elements, at places that are known.
#include "lib/Import/ONNX/Operators/Operators.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// How one dimension is resized.
struct Axis {
  int64_t from = 0, to = 0;
  double scale = 1;
  double start = 0, end = 1; // of the region of interest
};

/// For each result element the places and weights of what it is made of; `outside` where the region lies beyond the image.
struct Taps {
  std::vector<Integers> places; // one list a tap
  std::vector<SmallVector<double>> weights;
  SmallVector<bool> outside;
};
} // namespace

/// The place in the operand that stands for place x of the result; f32 arithmetic would round it elsewhere.
static double sourceOf(Node &node, const Axis &axis, int64_t x, StringRef mode) {
  double from = axis.from, to = axis.to;
  if (mode == "asymmetric")
    return x / axis.scale;
  if (mode == "tf_half_pixel_for_nn")
    return (x + 0.5) / axis.scale;
  if (mode == "half_pixel" || (mode == "pytorch_half_pixel" && to > 1))
    return (x + 0.5) / axis.scale - 0.5;
  if (mode == "pytorch_half_pixel")
    return 0;
  if (mode == "align_corners") { // by the length before it is rounded, as ONNX's own tests have it; ONNX Runtime rounds first
    double length = from * axis.scale;
    return length == 1 ? 0 : x * (from - 1) / (length - 1);
  }
  if (mode == "half_pixel_symmetric") {
    double adjustment = to / (axis.scale * from), offset = from / 2 * (1 - adjustment);
    return offset + (x + 0.5) / axis.scale - 0.5;
  }
  if (mode == "tf_crop_and_resize")
    return to > 1 ? axis.start * (from - 1) + x * (axis.end - axis.start) * (from - 1) / (to - 1)
                  : 0.5 * (axis.start + axis.end) * (from - 1);
  node.refuse("coordinate_transformation_mode '" + mode + "' is not supported");
  return 0;
}

static int64_t nearestTo(Node &node, double place, StringRef mode) {
  if (mode == "round_prefer_floor")
    return std::ceil(place - 0.5);
  if (mode == "round_prefer_ceil")
    return std::floor(place + 0.5);
  if (mode == "floor")
    return std::floor(place);
  if (mode == "ceil")
    return std::ceil(place);
  node.refuse("nearest_mode '" + mode + "' is not supported");
  return 0;
}

/// How much of an element is in one at this distance.
static double kernel(Node &node, double distance, StringRef mode) {
  double x = std::abs(distance), a = node.real("cubic_coeff_a", -0.75);
  if (mode == "linear")
    return x < 1 ? 1 - x : 0;
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// Elements on either side that the kernel reaches; one that is as wide as the elements of the result where `shrink` is
/// below 1.
static int64_t reachOf(double shrink, StringRef mode) { return std::ceil((mode == "linear" ? 1 : 2) / shrink); }

/// Weights of the elements from reach - 1 ones in front of the nearest one below on, `ratio` behind that.
static SmallVector<double> interpolation(Node &node, double ratio, double shrink, StringRef mode) {
  SmallVector<double> weights;
  int64_t reach = reachOf(shrink, mode);
  double sum = 0;
  for (int64_t i = 1 - reach; i <= reach; ++i) {
    weights.push_back(kernel(node, (double(i) - ratio) * shrink, mode));
    sum += weights.back();
  }
  if (shrink < 1)
    for (double &weight : weights)
      weight /= sum;
  return weights;
}

static Taps tapsOf(Node &node, const Axis &axis, StringRef mode, StringRef coordinates) {
  std::string nearest = node.text("nearest_mode", node.opset() >= 11 ? "round_prefer_floor"
                                                  : axis.scale < 1   ? "ceil"
                                                                     : "floor");
  bool excludes = node.integer("exclude_outside", 0);
  double shrink = node.integer("antialias", 0) ? std::min(axis.scale, 1.0) : 1;
  int64_t reach = mode == "nearest" ? 0 : reachOf(shrink, mode);
  size_t count = mode == "nearest" ? 1 : 2 * reach;
  Taps taps{std::vector<Integers>(count), std::vector<SmallVector<double>>(count), {}};
  for (int64_t x = 0; x < axis.to && !node.failed(); ++x) {
    double place = sourceOf(node, axis, x, coordinates);
    taps.outside.push_back(coordinates == "tf_crop_and_resize" && (place < 0 || place > axis.from - 1));
    int64_t first = mode == "nearest" ? nearestTo(node, place, nearest) : int64_t(std::floor(place)) + 1 - reach;
    SmallVector<double> weights =
        mode == "nearest" ? SmallVector<double>{1} : interpolation(node, place - std::floor(place), shrink, mode);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
      if (excludes && (first + int64_t(i) < 0 || first + int64_t(i) >= axis.from))
        weights[i] = 0;
      sum += weights[i];
    }
    for (size_t i = 0; i < count; ++i) {
      taps.places[i].push_back(std::clamp<int64_t>(first + i, 0, axis.from - 1));
      taps.weights[i].push_back(excludes ? weights[i] / sum : weights[i]);
    }
  }
  return taps;
}

/// Along one dimension.
static Value resizeAxis(Node &node, Value x, int64_t dim, const Taps &taps) {
  Type element = elementOfValue(x);
  int64_t to = taps.outside.size();
  Integers shape(rankOf(x), 1);
  Value sum;
  for (size_t i = 0; i < taps.places.size(); ++i) {
    Value part = node.gather(x, node.constants(taps.places[i], to, node.i64()), dim);
    if (node.failed())
      return {};
    shape[dim] = to;
    if (taps.places.size() > 1)
      part = node.emit<MulOp>({part, node.realConstants(taps.weights[i], shape, element)});
    sum = sum ? node.emit<AddOp>({sum, part}) : part;
  }
  if (!llvm::is_contained(taps.outside, true))
    return sum;
  Integers outside(taps.outside.begin(), taps.outside.end());
  return node.emit<SelectOp>(
      {node.constants(outside, shape, node.i1()), node.constant(node.real("extrapolation_value", 0), element), sum});
}

/// A dimension whose size has a name, by a whole factor: each element is repeated.
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

/// Whether the nearest elements of a dimension by a whole factor are each `scale` times the next: looked up for a size that
/// stands for all.
static bool isRepeat(Node &node, double scale, StringRef mode, StringRef coordinates) {
  bool local = coordinates == "asymmetric" || coordinates == "half_pixel" || coordinates == "pytorch_half_pixel";
  if (mode != "nearest" || !local || scale != std::floor(scale) || scale < 1 || scale > 64)
    return false;
  Taps taps = tapsOf(node, {5, int64_t(5 * scale), scale, 0, 1}, mode, coordinates);
  for (auto [x, place] : llvm::enumerate(taps.places[0]))
    if (place != int64_t(x / int64_t(scale)))
      return false;
  return true;
}

namespace {
/// What the operands say: a scale or a size for each of the axes.
struct Request {
  Integers axes;
  SmallVector<double> scales; // empty: sizes
  Dims sizes;
  SmallVector<double> roi; // starts, then ends
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
    node.refuse("scales, sizes and roi must have an entry an axis");
  return node.failed() ? std::nullopt : std::optional(request);
}

/// Sizes of which the larger or smaller scale counts for all.
static void keepAspect(Node &node, Request &request) {
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || request.sizes.empty())
    return;
  if (policy != "not_larger" && policy != "not_smaller")
    return node.refuse("keep_aspect_ratio_policy '" + policy + "' is not supported");
  Dims dims = node.dims(0);
  std::optional<double> common;
  for (auto [axis, size] : llvm::zip_equal(request.axes, request.sizes)) {
    if (!size.isStatic() || !dims[axis].isStatic() || dims[axis].constant() < 1)
      return node.refuse("keep_aspect_ratio_policy needs numbers for the sizes; fix them with --dim");
    double scale = double(size.constant()) / dims[axis].constant();
    common = !common ? scale : policy == "not_larger" ? std::min(*common, scale) : std::max(*common, scale);
  }
  request.scales.assign(request.axes.size(), common.value_or(1));
  for (auto [axis, size] : llvm::zip_equal(request.axes, request.sizes))
    size = Dim(int64_t(std::floor(*common * dims[axis].constant() + 0.5)));
}

/// One dimension of the request.
static Value resizeDim(Node &node, Value x, const Request &request, size_t i, StringRef mode, StringRef coordinates) {
  int64_t dim = request.axes[i];
  Dim from = dimsOfValue(x)[dim];
  bool scaled = !request.scales.empty();
  if ((scaled && request.scales[i] == 1 && coordinates != "tf_crop_and_resize") || (!scaled && request.sizes[i] == from))
    if (coordinates != "tf_crop_and_resize")
      return x;
  std::optional<Dim> factor = scaled || request.sizes[i].isStatic() ? std::nullopt : divide(request.sizes[i], from);
  double scale = scaled ? request.scales[i] : factor && factor->isStatic() ? factor->constant() : 0;
  if (!from.isStatic() || (!scaled && !request.sizes[i].isStatic())) {
    if (scale && isRepeat(node, scale, mode, coordinates))
      return repeat(node, x, dim, scale);
    return node.refuse("the size " + from.str() +
                       " must be a number, but for whole factors of mode nearest; fix it with --dim"),
           Value();
  }
  Axis axis{from.constant()};
  axis.to = !request.sizes.empty() ? request.sizes[i].constant() : int64_t(std::floor(axis.from * scale));
  if (axis.from < 1 || axis.to < 1 || axis.to > 1 << 24 || (scaled && !(scale > 0)))
    return node.refuse("sizes must be positive"), Value();
  axis.scale = scaled ? scale : double(axis.to) / axis.from;
  if (!request.roi.empty())
    axis.start = request.roi[i], axis.end = request.roi[i + request.axes.size()];
  if (node.integer("antialias", 0) && axis.scale < 1.0 / 64)
    return node.refuse("antialias where the image shrinks takes scales of 1/64 and more"), Value();
  return resizeAxis(node, x, dim, tapsOf(node, axis, mode, coordinates));
}

static void resize(Node &node) {
  std::string mode = node.text("mode", "nearest");
  bool old = node.opset() < 11 || node.op() == "Upsample";
  std::string coordinates = node.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
  Value x = node.input(0);
  Type element = node.element(0);
  if (mode == "bilinear" || mode == "trilinear")
    mode = "linear";
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return node.refuse("mode '" + mode + "' is not supported");
  if (mode != "nearest" && !isa_and_nonnull<FloatType>(element))
    return node.refuse("integers are resized by mode nearest alone");
  std::optional<Request> request = readRequest(node);
  if (!request)
    return;
  keepAspect(node, *request);
  Type wide = mode != "nearest" ? node.wide(element) : element;
  x = node.convert(x, wide);
  for (size_t i = 0; i < request->axes.size() && !node.failed(); ++i)
    x = resizeDim(node, x, *request, i, mode, coordinates);
  node.set(0, node.convert(x, element));
}

void onnximport::addResize(Converters &converters) {
  converters["Resize"] = {resize, 1, 4,
                          "antialias,axes,coordinate_transformation_mode,cubic_coeff_a,exclude_outside,extrapolation_value,"
                          "keep_aspect_ratio_policy,mode,nearest_mode"};
  converters["Upsample"] = {resize, 1, 2, "height_scale,mode,scales,width_scale"};
}
