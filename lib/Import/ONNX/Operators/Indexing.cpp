// Indices that are data: Gather, Scatter and related operators.
#include "lib/Import/ONNX/Operators/Operators.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns indices as gather takes them; known negative ones are made positive here.
static Value indicesOf(Node &node, int input, const Dim &extent) {
  const Known *known = node.known(input);
  std::optional<std::vector<int64_t>> values = known ? known->integers() : std::nullopt;
  bool positive = values && llvm::none_of(*values, [](int64_t index) { return index < 0; });
  if (positive || (values && extent.isStatic())) {
    for (int64_t &index : *values)
      index += index < 0 ? extent.constant() : 0;
    return node.constants(*values, known->shape, node.i64());
  }
  return node.wrapIndices(node.input(input), extent);
}

/// Picks one index of a dimension and removes the dimension.
static Value pick(Node &node, Value x, int64_t axis, int64_t index) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  bool fromEnd = index < 0 && !dims[axis].isStatic();
  index = index < 0 ? fromEnd ? -index - 1 : index + dims[axis].constant() : index;
  if (index < 0 || (dims[axis].isStatic() && index >= dims[axis].constant()))
    return node.refuse("an index is out of range for the size " + dims[axis].str()), Value();
  Value part = node.slice(fromEnd ? node.reverse(x, axis) : x, axis, index, Dim(index + 1));
  dims.erase(dims.begin() + axis);
  return node.reshape(part, dims);
}

static void gather(Node &node) {
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (node.failed())
    return;
  const Known *known = node.known(1);
  std::optional<std::vector<int64_t>> values = known ? known->integers() : std::nullopt;
  bool isData = dimsOf(x)[axis] != node.getGraph().getModel().mostOf(dimsOf(x)[axis]); // may not have this index
  if (values && known->shape.empty() && !isData)
    return node.set(0, pick(node, x, axis, values->front()));
  node.set(0, node.gather(x, indicesOf(node, 1, dimsOf(x)[axis]), axis));
}

/// Returns the permutation that moves a dimension to the end, and its inverse.
static std::pair<Integers, Integers> lastOrders(int64_t axis, int64_t rank) {
  Integers to = range(0, rank), back = range(0, rank);
  to.erase(to.begin() + axis);
  to.push_back(axis);
  for (auto [i, dim] : llvm::enumerate(to))
    back[dim] = i;
  return {to, back};
}

/// Gathers elements of x along an axis. In all other dimensions the indices cover a part of x.
static Value gatherElements(Node &node, Value x, Value indices, int64_t axis) {
  int64_t rank = rankOf(x);
  if (node.failed() || rankOf(indices) != rank)
    return node.refuse("the indices' rank differs from the operand's"), Value();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      x = node.slice(x, dim, 0, dimsOfValue(indices)[dim]);
  auto [to, back] = lastOrders(axis, rank);
  return node.transpose(node.gather(node.transpose(x, to), node.transpose(indices, to), rank - 1, rank - 1), back);
}

static void gatherElements(Node &node) {
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (node.failed())
    return;
  node.set(0, gatherElements(node, x, indicesOf(node, 1, dimsOf(x)[axis]), axis));
}

/// Returns row-major indices from coordinates in the last dimension of `indices`, for an operand with dimensions `dims`.
static Value linearIndices(Node &node, Value indices, ArrayRef<Dim> dims) {
  Dims shape = dimsOfValue(indices);
  Value wide = node.convert(indices, node.i64()), sum;
  if (node.failed())
    return {};
  Dims left(ArrayRef(shape).drop_back());
  Dim stride(1);
  for (int64_t i = dims.size() - 1; i >= 0; --i) {
    Value place = node.reshape(node.slice(wide, shape.size() - 1, i, Dim(i + 1)), left);
    place = node.wrapIndices(place, dims[i]);
    if (stride != Dim(1))
      place = node.emit<MulOp>({place, node.size(stride, node.i64())});
    sum = sum ? node.emit<AddOp>({place, sum}) : place;
    stride = stride * dims[i];
  }
  return sum;
}

/// Returns the dimensions with those from `begin` to `end` joined into one.
static Dims joined(ArrayRef<Dim> dims, int64_t begin, int64_t end) {
  Dims result(dims.take_front(begin));
  result.push_back(productOf(dims.slice(begin, end - begin)));
  result.append(dims.begin() + end, dims.end());
  return result;
}

/// Returns the number of coordinates in the indices of GatherND and ScatterND.
static std::optional<int64_t> coordinates(Node &node, int64_t batch) {
  Dims indices = node.dims(1);
  int64_t rank = node.rank(0);
  if (node.failed() || indices.empty() || !indices.back().isStatic() || batch < 0 || batch >= int64_t(indices.size()) ||
      indices.back().constant() < 1 || indices.back().constant() > rank - batch)
    return node.refuse("the indices' last dimension must be a number from 1 to the operand's rank"), std::nullopt;
  return indices.back().constant();
}

static void gatherNd(Node &node) {
  Value x = node.input(0), indices = node.input(1);
  int64_t batch = node.integer("batch_dims", 0);
  std::optional<int64_t> count = coordinates(node, batch);
  if (!count)
    return;
  Dims dims = dimsOf(x);
  Value places = linearIndices(node, indices, ArrayRef(dims).slice(batch, *count));
  node.set(0, node.gather(node.reshape(x, joined(dims, batch, batch + *count)), places, batch, batch));
}

static std::optional<ScatterKind> scatterKind(Node &node) {
  std::string reduction = node.text("reduction", "none");
  auto kind = llvm::StringSwitch<std::optional<ScatterKind>>(reduction)
                  .Case("none", ScatterKind::Set)
                  .Case("add", ScatterKind::Add)
                  .Case("mul", ScatterKind::Mul)
                  .Case("max", ScatterKind::Max)
                  .Case("min", ScatterKind::Min)
                  .Default(std::nullopt);
  if (!kind)
    node.refuse("reduction is '" + reduction + "', expected 'none', 'add', 'mul', 'max' or 'min'");
  return kind;
}

static void scatterNd(Node &node) {
  Value x = node.input(0), indices = node.input(1), updates = node.input(2);
  std::optional<ScatterKind> kind = scatterKind(node);
  std::optional<int64_t> count = kind ? coordinates(node, 0) : std::nullopt;
  if (!count)
    return;
  Dims dims = dimsOf(x);
  Value places = linearIndices(node, indices, ArrayRef(dims).take_front(*count));
  node.set(0, node.reshape(node.scatter(*kind, node.reshape(x, joined(dims, 0, *count)), places, updates, 0, 0), dims));
}

/// Scatters row by row if the indices have all rows, else by row-major indices.
static void scatterElements(Node &node) {
  Value x = node.input(0), updates = node.input(2);
  Dims dims = node.dims(0), shape = node.dims(1);
  int64_t rank = dims.size(), axis = node.axis(node.integer("axis", 0), rank);
  std::optional<ScatterKind> kind = scatterKind(node);
  if (int64_t(shape.size()) != rank)
    node.refuse("the indices' rank differs from the operand's");
  if (node.failed())
    return;
  Value indices = indicesOf(node, 1, dims[axis]);
  Dims others = dims, given = shape;
  others[axis] = given[axis] = Dim(0);
  if (others == given) {
    auto [to, back] = lastOrders(axis, rank);
    Value rows = node.scatter(*kind, node.transpose(x, to), node.transpose(indices, to), node.transpose(updates, to), rank - 1,
                              rank - 1);
    return node.set(0, node.transpose(rows, back));
  }
  Value sum;
  Dim stride(1);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    Value place = dim == axis ? indices : node.iota(dim, shape, node.i64());
    place = node.emit<MulOp>({place, node.size(stride, node.i64())});
    sum = sum ? node.emit<AddOp>({place, sum}) : place;
    stride = stride * dims[dim];
  }
  Dims flat = joined(dims, 0, rank), few = joined(shape, 0, rank);
  Value result = node.scatter(*kind, node.reshape(x, flat), node.reshape(sum, few), node.reshape(updates, few), 0, 0);
  node.set(0, node.reshape(result, dims));
}

static void oneHot(Node &node) {
  Value indices = node.input(0), values = node.input(2);
  Dim depth = node.knownDim(1, "the depth");
  Dims dims = node.dims(0), apart;
  if (!node.failed() && node.dims(2) != Dims{Dim(2)})
    node.refuse("values of shape " + str(node.dims(2)) + ", expected two");
  int64_t axis = node.axis(node.integer("axis", -1), dims.size() + 1);
  if (node.failed())
    return;
  apart = dims;
  apart.insert(apart.begin() + axis, Dim(1));
  dims.insert(dims.begin() + axis, depth);
  Value wrapped = node.reshape(node.wrapIndices(indices, depth), apart);
  Value isThere = node.compare(CompareKind::EQ, node.iota(axis, dims, node.i64()), wrapped);
  node.set(0, node.emit<SelectOp>({isThere, pick(node, values, 0, 1), pick(node, values, 0, 0)}));
}

static void argExtremum(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", 0), dims.size());
  bool last = node.integer("select_last_index", 0);
  if (node.failed())
    return;
  if (last)
    x = node.reverse(x, axis);
  Value index = node.op() == "ArgMax" ? node.emit<ArgmaxOp>(x, node.number("dim", axis))
                                      : node.emit<ArgminOp>(x, node.number("dim", axis));
  index = node.convert(index, node.i64());
  if (last)
    index = node.emit<SubOp>({node.size(dims[axis] - Dim(1), node.i64()), index});
  dims[axis] = Dim(1);
  node.set(0, node.integer("keepdims", 1) ? node.reshape(index, dims) : index);
}

static void topK(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", -1), dims.size());
  Dims count = node.opset() < 10 ? Dims{Dim(node.integer("k", -1))} : node.knownDims(1, "k");
  if (!node.failed() && (count.size() != 1 || (count[0].isStatic() && count[0].constant() < 0)))
    node.refuse("k must be one number, at least 0");
  if (node.failed())
    return;
  SmallVector<NamedAttribute> attributes{node.number("dim", axis), node.shape("count", count)};
  if (!node.integer("largest", 1))
    attributes.push_back(node.flag("smallest"));
  Value indices = node.emit<TopKOp>(x, attributes);
  node.set(0, gatherElements(node, x, indices, axis));
  node.set(1, node.convert(indices, node.i64()));
}

/// Emits a cumulative op, up to each position or from there on.
static void cumulative(Node &node) {
  bool isSum = node.op() == "CumSum", reverses = node.integer("reverse", 0);
  Value x = node.input(0);
  Integers axes = node.knownIntegers(1, "the axis");
  if (node.failed() || axes.size() != 1)
    return node.refuse("the axis must be one number");
  int64_t rank = node.rank(0), axis = node.axis(axes[0], rank);
  if (node.integer("exclusive", 0)) {
    Dims low(rank), high(rank);
    low[axis] = Dim(reverses ? -1 : 1);
    high[axis] = Dim(0) - low[axis];
    x = node.pad(x, node.constantInt(isSum ? 0 : 1, node.element(0)), low, high);
  }
  node.set(0, node.cumulative(isSum ? CumulativeKind::Sum : CumulativeKind::Product, x, axis, reverses));
}

/// Keeps the upper or lower triangle of each matrix.
static void trilu(Node &node) {
  Dims dims = node.dims(0);
  Value x = node.input(0);
  Dims shift = node.has(1) ? node.knownDims(1, "the diagonal") : Dims{Dim(0)};
  if (dims.size() < 2 || shift.size() != 1)
    node.refuse("the input must be matrices, and the diagonal one number");
  if (node.failed())
    return;
  if (shift[0].isStatic()) // all or nothing, far from where sums wrap
    shift[0] = Dim(std::clamp<int64_t>(shift[0].constant(), -(int64_t(1) << 40), int64_t(1) << 40));
  Dims matrix(ArrayRef(dims).take_back(2));
  Value rows = node.iota(0, matrix, node.i64()), columns = node.iota(1, matrix, node.i64());
  Value moved = node.emit<AddOp>({rows, node.size(shift[0], node.i64())});
  CompareKind kind = node.integer("upper", 1) ? CompareKind::GE : CompareKind::LE;
  node.set(0, node.emit<SelectOp>({node.compare(kind, columns, moved), x, node.constantInt(0, node.element(0))}));
}

void onnximport::addIndexing(Converters &converters) {
  converters["Gather"] = {gather, 2, 2, "axis"};
  converters["GatherElements"] = {gatherElements, 2, 2, "axis"};
  converters["GatherND"] = {gatherNd, 2, 2, "batch_dims"};
  converters["Scatter"] = {scatterElements, 3, 3, "axis"};
  converters["ScatterElements"] = {scatterElements, 3, 3, "axis,reduction"};
  converters["ScatterND"] = {scatterNd, 3, 3, "reduction"};
  converters["OneHot"] = {oneHot, 3, 3, "axis"};
  converters["ArgMax"] = {argExtremum, 1, 1, "axis,keepdims,select_last_index"};
  converters["ArgMin"] = {argExtremum, 1, 1, "axis,keepdims,select_last_index"};
  converters["TopK"] = {topK, 1, 2, "axis,k,largest,sorted"};
  converters["CumSum"] = {cumulative, 2, 2, "exclusive,reverse"};
  converters["CumProd"] = {cumulative, 2, 2, "exclusive,reverse"};
  converters["Trilu"] = {trilu, 1, 2, "upper"};
}
