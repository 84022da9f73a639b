// Pooling over windows, and over whole images.
#include "lib/Import/ONNX/Operators/Windows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// A pooling operator's windows; `extra` is what ceil_mode adds behind, which counts as neither element nor padding.
struct Pool {
  Windows windows;
  Integers extra;
  Dims spatial;
};
} // namespace

/// Windows that begin in the padding behind the last element are left out, as PyTorch and ONNX Runtime do it.
static void ceilPlaces(Node &node, Pool &pool) {
  for (size_t dim = 0; dim < pool.windows.rank() && !node.failed(); ++dim) {
    const Windows &windows = pool.windows;
    int64_t stride = windows.strides[dim], low = windows.low[dim], high = windows.high[dim];
    if (stride == 1)
      continue;
    if (!pool.spatial[dim].isStatic())
      return node.refuse("ceil_mode needs a number for the size " + pool.spatial[dim].str() + "; fix it with --dim");
    int64_t extent = pool.spatial[dim].constant(), room = extent + low + high - windows.reach(dim);
    if (room < 0)
      return node.refuse("a window is larger than the image");
    int64_t last = (room + stride - 1) / stride;
    if (last * stride >= extent + low)
      --last;
    pool.extra[dim] = std::max<int64_t>(0, last * stride - room);
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
  pool.extra.assign(pool.windows.rank(), 0);
  for (size_t dim = 0; dim < pool.windows.rank() && !node.failed(); ++dim) {
    if (!pool.spatial[dim].isStatic() && pool.windows.strides[dim] != 1)
      node.refuse("strides over the size " + pool.spatial[dim].str() + " need it to be a number; fix it with --dim");
    if (std::max(pool.windows.low[dim], pool.windows.high[dim]) >= pool.windows.reach(dim))
      node.refuse("padding is as wide as a window, some of which would hold nothing");
  }
  if (node.integer("ceil_mode", 0))
    ceilPlaces(node, pool);
  return node.failed() ? std::nullopt : std::optional(std::move(pool));
}

static NamedAttribute windowOf(Node &node, const Pool &pool) {
  Integers lists[] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}; // batch and channels are not pooled
  const Windows &windows = pool.windows;
  lists[0].append(windows.kernel);
  lists[1].append(windows.strides);
  lists[2].append(windows.dilations);
  lists[3].append(windows.rank(), 1);
  lists[4].append(windows.low);
  for (size_t dim = 0; dim < windows.rank(); ++dim)
    lists[5].push_back(windows.high[dim] + pool.extra[dim]);
  MLIRContext *context = node.i64().getContext();
  auto list = [&](int i) { return DenseI64ArrayAttr::get(context, lists[i]); };
  return NamedAttribute(StringAttr::get(context, "window"),
                        WindowAttr::get(context, list(0), list(1), list(2), list(3), list(4), list(5)));
}

static Value reduceWindow(Node &node, ReduceKind kind, Value x, const Pool &pool) {
  return node.emit<ReduceWindowOp>(x, {node.reduceKind(kind), windowOf(node, pool)});
}

/// Where each window's first largest element is in the whole tensor, as if its dimensions stood one after the other; the
/// spatial ones the other way round where `isColumnMajor`.
static Value placesOfLargest(Node &node, Value x, const Pool &pool, bool isColumnMajor) {
  Value tap = node.emit<WindowIndexOp>(x, {node.reduceKind(ReduceKind::Max), windowOf(node, pool)});
  Dims dims = dimsOfValue(x), shape = dimsOfValue(tap);
  if (node.failed())
    return {};
  const Windows &windows = pool.windows;
  int64_t rank = windows.rank();
  auto number = [&](int64_t value) { return node.constantInt(value, node.i64()); };
  Value image = node.emit<AddOp>(
      {node.emit<MulOp>({node.iota(0, shape, node.i64()), node.size(dims[1], node.i64())}), node.iota(1, shape, node.i64())});
  Dim elements(1);
  for (const Dim &dim : pool.spatial)
    elements = elements * dim;
  Value sum = node.emit<MulOp>({image, node.size(elements, node.i64())});
  Value rest = node.convert(tap, node.i64());
  Dim behind(1);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    Value own = node.emit<RemOp>({rest, number(windows.kernel[dim])});
    rest = node.emit<DivOp>({rest, number(windows.kernel[dim])});
    Value start = node.emit<MulOp>({node.iota(2 + dim, shape, node.i64()), number(windows.strides[dim])});
    Value place = node.emit<AddOp>(
        {node.emit<SubOp>({start, number(windows.low[dim])}), node.emit<MulOp>({own, number(windows.dilations[dim])})});
    // Padding is as large as the smallest number: a window of such numbers alone has the first of them that is no padding.
    Value inside = node.emit<FloorModOp>({place, number(windows.dilations[dim])});
    place = node.emit<SelectOp>({node.compare(CompareKind::LT, place, number(0)), inside, place});
    Dim front(1);
    for (int64_t i = 0; i < dim; ++i)
      front = front * pool.spatial[i];
    sum = node.emit<AddOp>({sum, node.emit<MulOp>({place, node.size(isColumnMajor ? front : behind, node.i64())})});
    behind = behind * pool.spatial[dim];
  }
  return sum;
}

static void maxPool(Node &node) {
  std::optional<Pool> pool = readPool(node);
  if (!pool)
    return;
  Value x = node.input(0);
  node.set(0, reduceWindow(node, ReduceKind::Max, x, *pool));
  if (node.wants(1))
    node.set(1, placesOfLargest(node, x, *pool, node.integer("storage_order", 0)));
}

/// Elements go to their places in a tensor of zeros of the size that pooling began with; zeros behind it make it larger.
static void maxUnpool(Node &node) {
  Value x = node.input(0), places = node.input(1);
  Dims dims = node.dims(0);
  if (dims.size() < 3 || dims != node.dims(1) || !node.hasAttribute("kernel_shape"))
    node.refuse("operands of shape " + str(dims) + " and " + str(node.dims(1)) +
                ", expected images [N, C, ...] and their places, and a kernel_shape");
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
    node.refuse("its size is beyond 63 bits");
  if (!node.failed() && result.size() != shape.size())
    node.refuse("an output_shape of " + Twine(result.size()) + " sizes, expected " + Twine(shape.size()));
  Integers low(shape.size(), 0), high;
  for (size_t i = 0; i < shape.size() && !node.failed(); ++i) {
    Dim more = result[i] - shape[i];
    if (!more.isStatic() || more.constant() < 0)
      node.refuse("an output_shape of " + str(result) + ", expected no less than " + str(shape));
    high.push_back(more.constant());
  }
  if (node.failed())
    return;
  Value zero = node.constantInt(0, node.element(0)), flat = node.broadcast(zero, {}, *elements);
  flat = scatter(node, ScatterKind::Set, flat, node.reshape(places, *given), node.reshape(x, *given), 0, 0);
  node.set(0, node.pad(node.reshape(flat, shape), zero, low, high));
}

/// How many elements each window of a dimension has; padding is some of them where it counts.
static Integers countsOf(const Pool &pool, size_t dim, bool withPadding) {
  const Windows &windows = pool.windows;
  int64_t extent = pool.spatial[dim].constant(), low = windows.low[dim], high = windows.high[dim];
  int64_t begin = withPadding ? -low : 0, end = withPadding ? extent + high : extent;
  Integers counts;
  for (int64_t place = 0; place * windows.strides[dim] + windows.reach(dim) <= extent + low + high + pool.extra[dim]; ++place) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < windows.kernel[dim]; ++tap) {
      int64_t at = place * windows.strides[dim] - low + tap * windows.dilations[dim];
      count += at >= begin && at < end;
    }
    counts.push_back(count);
  }
  return counts;
}

/// The number of elements that each window's mean is over, to be broadcast.
static Value countOf(Node &node, const Pool &pool, Type element) {
  bool withPadding = node.integer("count_include_pad", 0);
  Value count;
  size_t rank = pool.windows.rank();
  for (size_t dim = 0; dim < rank && !node.failed(); ++dim) {
    bool isWhole = pool.extra[dim] == 0 && (withPadding || (pool.windows.low[dim] == 0 && pool.windows.high[dim] == 0));
    if (!isWhole && !pool.spatial[dim].isStatic())
      return node.refuse("padding that does not count needs a number for the size " + pool.spatial[dim].str() +
                         "; fix it with --dim"),
             Value();
    Integers counts = isWhole ? Integers{pool.windows.kernel[dim]} : countsOf(pool, dim, withPadding);
    Integers shape(rank, 1);
    shape[dim] = counts.size();
    Value each = node.constants(counts, shape, element);
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

/// The p-th root of a sum of p-th powers.
static Value rootOfPowers(Node &node, Value x, int64_t p, function_ref<Value(Value)> sum) {
  Type element = node.element(0), wide = node.wide(element);
  x = node.convert(x, wide);
  Value size = node.emit<AbsOp>(x), result;
  if (p == 1)
    result = sum(size);
  else if (p == 2)
    result = node.emit<SqrtOp>(sum(node.emit<MulOp>({x, x})));
  else
    result = node.emit<PowOp>({sum(node.emit<PowOp>({size, node.constant(p, wide)})), node.constant(1.0 / p, wide)});
  return node.convert(result, element);
}

static void lpPool(Node &node) {
  std::optional<Pool> pool = readPool(node);
  int64_t p = node.integer("p", 2);
  if (p < 1)
    node.refuse("p must be at least 1");
  if (pool)
    node.set(0, rootOfPowers(node, node.input(0), p, [&](Value x) { return reduceWindow(node, ReduceKind::Sum, x, *pool); }));
}

/// Over all dimensions behind batch and channels.
static void globalPool(Node &node) {
  Value x = node.input(0);
  int64_t rank = node.rank(0), p = node.integer("p", 2);
  if (rank < 3 || p < 1)
    return node.refuse("expected images [N, C, ...] and a p of at least 1");
  Integers dims = range(2, rank);
  if (node.op() == "GlobalMaxPool")
    return node.set(0, node.reduce(ReduceKind::Max, x, dims, /*keep=*/true));
  if (node.op() == "GlobalAveragePool")
    return node.set(0, node.composite("mean", x, {node.list("dims", dims), node.flag("keep")}));
  node.set(0, rootOfPowers(node, x, p, [&](Value y) { return node.reduce(ReduceKind::Sum, y, dims, /*keep=*/true); }));
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
