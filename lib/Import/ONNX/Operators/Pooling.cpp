// Pooling over windows, and over whole images.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Import/ONNX/Operators/Dequantized.h"
#include "lib/Import/ONNX/Operators/Windows.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// A pooling operator's windows. `extra` is the padding that ceil_mode adds at the end; it counts as neither element nor
/// padding.
struct Pool {
  Windows windows;
  Dims extra;
  Dims spatial;

  /// Number of positions past the elements that windows cover.
  Dim behind(size_t dim) const { return Dim(windows.high[dim]) + windows.sizedHigh[dim] + extra[dim]; }
  Dim before(size_t dim) const { return Dim(windows.low[dim]) + windows.sizedLow[dim]; }
};
} // namespace

/// Drops windows that begin in the padding after the last element, as PyTorch and ONNX Runtime do.
static void ceilPlaces(Node &node, Pool &pool) {
  for (size_t dim = 0; dim < pool.windows.rank() && !node.failed(); ++dim) {
    const Windows &windows = pool.windows;
    int64_t stride = windows.strides[dim];
    if (stride == 1)
      continue;
    Dim begin = pool.spatial[dim] + pool.before(dim), room = begin + pool.behind(dim) - Dim(windows.reach(dim));
    Dim last = minOf(ceilDiv(room, stride), ceilDiv(begin, stride) - Dim(1)); // it begins before the trailing padding
    if (last.isStatic() && last.constant() < -1)                              // more than one window before the first
      return node.refuse("the window is larger than the image");
    pool.extra[dim] = maxOf(last * Dim(stride) - room, Dim(0));
  }
}

static std::optional<Pool> readPool(Node &node) {
  Dims dims = node.dims(0);
  if (dims.size() < 3)
    node.refuse("expected images [N, C, ...]");
  if (node.failed())
    return std::nullopt;
  Pool pool;
  pool.spatial.assign(dims.begin() + 2, dims.end());
  if (!node.hasAttribute("kernel_shape"))
    node.refuse("it has no kernel_shape");
  pool.windows = readWindows(node, pool.spatial, node.integers("kernel_shape"));
  pool.extra.resize(pool.windows.rank());
  for (size_t dim = 0; dim < pool.windows.rank() && !node.failed(); ++dim)
    if (std::max(pool.windows.low[dim], pool.windows.high[dim]) >= pool.windows.reach(dim))
      node.refuse("the padding is as wide as a window, so that some windows would be empty");
  if (node.integer("ceil_mode", 0))
    ceilPlaces(node, pool);
  return node.failed() ? std::nullopt : std::optional(std::move(pool));
}

static Window windowOf(const Pool &pool) {
  Window window{{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}; // batch and channels are not pooled
  const Windows &windows = pool.windows;
  window.size.append(windows.kernel);
  window.stride.append(windows.strides);
  window.dilation.append(windows.dilations);
  window.low.append(windows.low);
  for (size_t dim = 0; dim < windows.rank(); ++dim)
    window.high.push_back(windows.high[dim] + (pool.extra[dim].isStatic() ? pool.extra[dim].constant() : 0));
  return window;
}

/// Adds the size-dependent padding to images, with values that do not affect `kind`.
static Value padded(Node &node, Value x, const Pool &pool, ReduceKind kind) {
  Type element = elementOfValue(x);
  Value with = node.constantInt(0, element);
  if (auto integer = dyn_cast_or_null<IntegerType>(element); integer && kind == ReduceKind::Max)
    with = node.constantInt(APInt::getSignedMinValue(integer.getWidth()).getSExtValue(), element);
  else if (kind == ReduceKind::Max)
    with = node.constant(-HUGE_VAL, element);
  Windows windows = pool.windows;
  for (auto [size, extra] : llvm::zip_equal(windows.sizedHigh, pool.extra))
    size = size + (extra.isStatic() ? Dim(0) : extra);
  return node.failed() ? Value() : padBySizes(node, x, with, windows, 2);
}

static Value reduceWindow(Node &node, ReduceKind kind, Value x, const Pool &pool) {
  return node.reduceWindow(kind, padded(node, x, pool, kind), windowOf(pool));
}

/// Returns the index of each window's first largest element in the flattened tensor; with `isColumnMajor`, spatial dimensions
/// are flattened in reverse order.
static Value placesOfLargest(Node &node, Value x, const Pool &pool, bool isColumnMajor) {
  Value tap = node.windowIndex(ReduceKind::Max, padded(node, x, pool, ReduceKind::Max), windowOf(pool));
  Dims dims = dimsOfValue(x), shape = dimsOfValue(tap);
  if (node.failed())
    return {};
  const Windows &windows = pool.windows;
  int64_t rank = windows.rank();
  auto number = [&](int64_t value) { return node.constantInt(value, node.i64()); };
  Value image = node.emit<AddOp>(
      {node.emit<MulOp>({node.iota(0, shape, node.i64()), node.size(dims[1], node.i64())}), node.iota(1, shape, node.i64())});
  Value sum = node.emit<MulOp>({image, node.size(productOf(pool.spatial), node.i64())});
  Value rest = node.convert(tap, node.i64());
  Dim inner(1);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    Value own = node.emit<RemOp>({rest, number(windows.kernel[dim])});
    rest = node.emit<DivOp>({rest, number(windows.kernel[dim])});
    Value start = node.emit<MulOp>({node.iota(2 + dim, shape, node.i64()), number(windows.strides[dim])});
    Value place = node.emit<AddOp>({node.emit<SubOp>({start, node.size(pool.before(dim), node.i64())}),
                                    node.emit<MulOp>({own, number(windows.dilations[dim])})});
    // Padding equals the smallest number: a window of only such numbers has the first of them that is not padding.
    Value inside = node.emit<FloorModOp>({place, number(windows.dilations[dim])});
    place = node.emit<SelectOp>({node.compare(CompareKind::LT, place, number(0)), inside, place});
    Dim outer = productOf(ArrayRef(pool.spatial).take_front(dim));
    sum = node.emit<AddOp>({sum, node.emit<MulOp>({place, node.size(isColumnMajor ? outer : inner, node.i64())})});
    inner = inner * pool.spatial[dim];
  }
  return sum;
}

static void maxPool(Node &node) {
  std::optional<Pool> pool = readPool(node);
  if (!pool)
    return;
  Value x = node.input(0);
  auto largest = [&](Value images) { return reduceWindow(node, ReduceKind::Max, images, *pool); };
  node.set(0, dequantizedSelection(node, x, largest));
  if (node.wants(1))
    node.set(1, placesOfLargest(node, x, *pool, node.integer("storage_order", 0)));
}

/// Scatters elements to their indices in a tensor of zeros of the size before pooling; trailing zeros make it larger.
static void maxUnpool(Node &node) {
  Value x = node.input(0), places = node.input(1);
  Dims dims = node.dims(0);
  if (dims.size() < 3 || dims != node.dims(1) || !node.hasAttribute("kernel_shape"))
    node.refuse("operands of shape " + str(dims) + " and " + str(node.dims(1)) +
                ", expected images [N, C, ...], indices of the same shape, and a kernel_shape");
  if (node.failed())
    return;
  Windows windows = readWindows(node, ArrayRef(dims).drop_front(2), node.integers("kernel_shape"));
  Dims shape(ArrayRef(dims).take_front(2));
  for (size_t i = 0; i < windows.rank() && !node.failed(); ++i)
    shape.push_back((dims[2 + i] - Dim(1)) * Dim(windows.strides[i]) +
                    Dim(windows.kernel[i] - windows.low[i] - windows.high[i]));
  Dims result = node.has(2) ? node.knownDims(2, "the output's sizes") : shape;
  std::optional<Dim> elements = numElements(shape), given = numElements(dims);
  if (!elements || !given)
    node.refuse("its size overflows 63 bits");
  if (!node.failed() && result.size() != shape.size())
    node.refuse("an output_shape of " + Twine(result.size()) + " sizes, expected " + Twine(shape.size()));
  Dims low(shape.size()), high;
  for (size_t i = 0; i < shape.size() && !node.failed(); ++i) {
    high.push_back(result[i] - shape[i]);
    if (high[i].isStatic() && high[i].constant() < 0)
      node.refuse("an output_shape of " + str(result) + ", expected at least " + str(shape));
  }
  if (node.failed())
    return;
  Value zero = node.constantInt(0, node.element(0)), flat = node.broadcast(zero, {}, *elements);
  flat = node.scatter(ScatterKind::Set, flat, node.reshape(places, *given), node.reshape(x, *given), 0, 0);
  node.set(0, node.pad(node.reshape(flat, shape), zero, low, high));
}

/// Returns the number of elements that each window of one dimension has, [places]: a sum over windows of ones. It includes
/// padding if `withPadding`.
static Value countsOf(Node &node, const Pool &pool, size_t dim, bool withPadding, Type element) {
  Value zero = node.constantInt(0, element), one = node.constantInt(1, element);
  Dim extent = pool.spatial[dim], before = pool.before(dim), behind = pool.behind(dim) - pool.extra[dim];
  Value ones = node.broadcast(one, {}, withPadding ? extent + before + behind : extent);
  ones = withPadding ? node.pad(ones, zero, Dim(0), pool.extra[dim]) : node.pad(ones, zero, before, behind + pool.extra[dim]);
  const Windows &windows = pool.windows;
  return node.reduceWindow(ReduceKind::Sum, ones,
                           {{windows.kernel[dim]}, {windows.strides[dim]}, {windows.dilations[dim]}, {0}, {0}});
}

/// Returns the divisor of each window's mean, to be broadcast.
static Value countOf(Node &node, const Pool &pool, Type element) {
  bool withPadding = node.integer("count_include_pad", 0);
  Value count;
  size_t rank = pool.windows.rank();
  for (size_t dim = 0; dim < rank && !node.failed(); ++dim) {
    bool isWhole =
        pool.extra[dim].isStatic(0) && (withPadding || (pool.before(dim).isStatic(0) && pool.behind(dim).isStatic(0)));
    Dims shape(rank, Dim(1));
    Value each;
    if (isWhole) {
      each = node.broadcast(node.constantInt(pool.windows.kernel[dim], element), {}, shape);
    } else {
      each = countsOf(node, pool, dim, withPadding, element);
      if (node.failed())
        return {};
      shape[dim] = dimsOf(each)[0];
      each = node.reshape(each, shape);
    }
    count = count ? node.emit<MulOp>({count, each}) : each;
  }
  return count;
}

static void averagePool(Node &node) {
  std::optional<Pool> pool = readPool(node);
  if (!pool)
    return;
  Type element = node.element(0), wide = node.wide(element);
  Value count = countOf(node, *pool, wide), sum = reduceWindow(node, ReduceKind::Sum, node.convert(node.input(0), wide), *pool);
  node.set(0, node.convert(node.emit<DivOp>({sum, count}), element));
}

/// Sets the node's output to the p-th root of a sum of p-th powers.
static void setRootOfPowers(Node &node, Value x, int64_t p, function_ref<Value(Value)> sum) {
  Type element = node.element(0), wide = node.wide(element);
  if (!isa<FloatType>(element))
    return node.refuse("only floats are supported");
  x = node.convert(x, wide);
  Value size = node.emit<AbsOp>(x), result;
  if (p == 1)
    result = sum(size);
  else if (p == 2)
    result = node.emit<SqrtOp>(sum(node.emit<MulOp>({x, x})));
  else
    result = node.emit<PowOp>({sum(node.emit<PowOp>({size, node.constant(p, wide)})), node.constant(1.0 / p, wide)});
  node.set(0, node.convert(result, element));
}

static void lpPool(Node &node) {
  std::optional<Pool> pool = readPool(node);
  int64_t p = node.integer("p", 2);
  if (p < 1)
    node.refuse("p must be at least 1");
  if (pool)
    setRootOfPowers(node, node.input(0), p, [&](Value x) { return reduceWindow(node, ReduceKind::Sum, x, *pool); });
}

/// Pools over all dimensions after batch and channels.
static void globalPool(Node &node) {
  Value x = node.input(0);
  int64_t rank = node.rank(0), p = node.integer("p", 2);
  if (rank < 3 || p < 1)
    return node.refuse("expected images [N, C, ...] and p >= 1");
  Integers dims = range(2, rank);
  if (node.op() == "GlobalMaxPool")
    return node.set(0, node.reduce(ReduceKind::Max, x, dims, /*keep=*/true));
  if (node.op() == "GlobalAveragePool")
    return node.set(0, node.composite("mean", x, {node.list("dims", dims), node.flag("keep")}));
  setRootOfPowers(node, x, p, [&](Value y) { return node.reduce(ReduceKind::Sum, y, dims, /*keep=*/true); });
}

void onnximport::addPooling(Converters &converters) {
  converters["MaxPool"] = {maxPool, 1, 1, "auto_pad,ceil_mode,dilations,kernel_shape,pads,storage_order,strides"};
  converters["MaxUnpool"] = {maxUnpool, 2, 3, "kernel_shape,pads,strides"};
  converters["AveragePool"] = {averagePool, 1, 1, "auto_pad,ceil_mode,count_include_pad,dilations,kernel_shape,pads,strides"};
  converters["LpPool"] = {lpPool, 1, 1, "auto_pad,ceil_mode,dilations,kernel_shape,p,pads,strides"};
  converters["GlobalAveragePool"] = {globalPool, 1, 1, ""};
  converters["GlobalMaxPool"] = {globalPool, 1, 1, ""};
  converters["GlobalLpPool"] = {globalPool, 1, 1, "p"};
}
