// Results with sizes that data decides: positions where a condition holds, and unique elements.
#include "lib/Import/ONNX/Operators/DataSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

static Value zeros(Node &node, ArrayRef<Dim> shape) { return node.broadcast(node.constantInt(0, node.i64()), {}, shape); }
static Value iota(Node &node, const Dim &length) { return node.iota(0, {length}, node.i64()); }

/// Returns the number of true elements up to each position, inclusive.
static Value running(Node &node, Value mask) {
  Value ones = node.convert(mask, node.i64());
  return node.cumulative(CumulativeKind::Sum, ones, 0);
}

static Value minusOne(Node &node, Value value) { return node.emit<SubOp>({value, node.constantInt(1, node.i64())}); }

Value onnximport::placesWhere(Node &node, Value mask, std::optional<Dim> most) {
  if (node.failed())
    return {};
  Dim length = dimsOf(mask)[0];
  Value count = node.reduce(ReduceKind::Sum, node.convert(mask, node.i64()), {0}, false);
  // Each goes to the number of true elements before it; a false one gets an out-of-range index and is dropped.
  Value to = node.emit<SelectOp>({mask, minusOne(node, running(node, mask)), node.constantInt(-1, node.i64())});
  Dims shape{most ? *most : length};
  return node.setDimSize(node.scatter(ScatterKind::Set, zeros(node, shape), to, iota(node, length), 0, 0), 0, count);
}

Value onnximport::flattened(Node &node, Value value) {
  std::optional<Dim> count = value ? numElements(dimsOf(value)) : std::nullopt;
  if (!count)
    return node.refuse("its size overflows 63 bits"), Value();
  return node.reshape(value, {*count});
}

Value onnximport::coordinates(Node &node, Value places, ArrayRef<Dim> shape) {
  SmallVector<Value> rows(shape.size());
  Value rest = places;
  for (int64_t dim = shape.size() - 1; dim >= 0 && !node.failed(); --dim) {
    Value extent = node.size(shape[dim], node.i64());
    rows[dim] = dim ? node.emit<FloorModOp>({rest, extent}) : rest;
    rest = dim ? node.emit<FloorDivOp>({rest, extent}) : rest;
    rows[dim] = node.reshape(rows[dim], {Dim(1), dimsOfValue(places)[0]});
  }
  return node.failed() ? Value() : rows.size() == 1 ? rows[0] : node.concatenate(rows, 0);
}

static Value isNotZero(Node &node, Value value) {
  Type element = elementOfValue(value);
  if (!value || element.isInteger(1))
    return value;
  Value zero = isa<FloatType>(element) ? node.constant(0, element) : node.constantInt(0, element);
  return node.compare(CompareKind::NE, value, zero);
}

static void nonZero(Node &node) {
  Value x = node.input(0);
  Dims shape = node.dims(0);
  if (shape.empty())
    node.refuse("the operand is a scalar; NonZero needs at least one dimension");
  if (node.failed())
    return;
  // Several lists of the same elements have one size: x[mask] beside y[mask].
  Value &known = node.getGraph().getModel().nonZeros[x];
  if (!known || known.getParentBlock() != node.getGraph().getBuilder().getInsertionBlock())
    known = coordinates(node, placesWhere(node, flattened(node, isNotZero(node, x))), shape);
  node.set(0, known);
}

/// Returns the tensor that has the elements of a value in the same order.
static Value sameElements(Value value) {
  auto count = [](Value tensor) { return numElements(dimsOf(tensor)); };
  for (Operation *op = value.getDefiningOp(); isa_and_nonnull<ReshapeOp, BroadcastOp>(op); op = value.getDefiningOp()) {
    if (!count(value) || count(value) != count(op->getOperand(0)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<Dim> onnximport::countedByNonZero(Node &node, Value ones) {
  auto convert = ones ? ones.getDefiningOp<ConvertOp>() : ConvertOp();
  if (!convert || !elementOfValue(convert.getOperand()).isInteger(1))
    return std::nullopt;
  Value mask = sameElements(convert.getOperand());
  std::optional<Dim> found;
  for (auto [operand, places] : node.getGraph().getModel().nonZeros)
    if (sameElements(operand) == mask && places.getParentBlock() == node.getGraph().getBuilder().getInsertionBlock())
      if (Dim count = dimsOf(places)[1]; !found || count.str() < found->str()) // any will do, but always the same one
        found = count;
  return found;
}

static void compress(Node &node) {
  Value x = node.input(0), condition = node.input(1);
  bool hasAxis = node.hasAttribute("axis");
  int64_t axis = hasAxis ? node.axis(node.integer("axis", 0), node.rank(0)) : 0;
  if (node.rank(1) != 1)
    node.refuse("the condition has " + Twine(node.rank(1)) + " dimensions, expected 1");
  if (!hasAxis && !node.failed())
    x = flattened(node, x);
  if (node.failed())
    return;
  Dim length = dimsOf(x)[axis], given = dimsOf(condition)[0];
  Dim missing = length - given;
  if (missing.isStatic() && missing.constant() < 0)
    return node.refuse("a condition of " + given.str() + " elements, expected at most " + length.str());
  condition = node.pad(condition, node.constantInt(0, node.i1()), Dim(0), missing);
  node.set(0, node.gather(x, placesWhere(node, condition), axis));
}

// ---- Unique

namespace {
/// The elements of a list in groups of equal ones. All values except `representative` follow the sorted order.
struct Groups {
  Value order;          // positions of the elements in ascending order; ties keep their order
  Value begins;         // true if a group begins at this position of the sorted order
  Value representative; // for each element, in the original order: the first position of an equal one
};
} // namespace

/// Returns the order of rows as lists of numbers. It sorts by the last column first with stable sorts.
static Value orderOf(Node &node, Value rows) {
  Value order;
  auto attributes = {node.number("dim", 0)};
  for (int64_t column = dimsOf(rows)[1].constant() - 1; column >= 0 && !node.failed(); --column) {
    Value key = node.reshape(node.slice(rows, 1, column, Dim(column + 1)), {dimsOf(rows)[0]});
    if (order)
      key = node.gather(key, order, 0);
    Value sorted = node.convert(node.emit<ArgsortOp>(key, attributes), node.i64());
    order = order ? node.gather(order, sorted, 0) : sorted;
  }
  return order;
}

static Groups groupsOf(Node &node, Value rows) {
  Groups groups;
  groups.order = orderOf(node, rows);
  if (node.failed())
    return groups;
  Dim length = dimsOf(rows)[0];
  Value place = iota(node, length), zero = node.constantInt(0, node.i64());
  Value before = node.emit<MaxOp>({minusOne(node, place), zero});
  Value sorted = node.gather(rows, groups.order, 0);
  Value differs =
      node.reduce(ReduceKind::Or, node.compare(CompareKind::NE, sorted, node.gather(sorted, before, 0)), {1}, false);
  groups.begins = node.emit<OrOp>({differs, node.compare(CompareKind::EQ, place, zero)});
  Value begin = node.emit<SelectOp>({groups.begins, place, zero});
  Value latest = node.cumulative(CumulativeKind::Max, begin, 0);
  Value first = node.gather(groups.order, latest, 0);
  groups.representative = node.scatter(ScatterKind::Set, zeros(node, {length}), groups.order, first, 0, 0);
  return groups;
}

/// Returns the number of each element's group, and the positions where groups first occur. Groups are in the order of their
/// elements, or of those positions.
static std::pair<Value, Value> numberGroups(Node &node, const Groups &groups, bool isSorted) {
  Dim length = dimsOf(groups.order)[0];
  if (isSorted) {
    Value number = minusOne(node, running(node, groups.begins));
    Value firsts = node.gather(groups.order, placesWhere(node, groups.begins), 0);
    return {node.scatter(ScatterKind::Set, zeros(node, {length}), groups.order, number, 0, 0), firsts};
  }
  Value isFirst = node.compare(CompareKind::EQ, groups.representative, iota(node, length));
  Value number = minusOne(node, running(node, isFirst));
  return {node.gather(number, groups.representative, 0), placesWhere(node, isFirst)};
}

static void unique(Node &node) {
  Value x = node.input(0);
  bool hasAxis = node.hasAttribute("axis");
  int64_t axis = hasAxis ? node.axis(node.integer("axis", 0), node.rank(0)) : 0;
  if (node.failed() || (!hasAxis && !(x = flattened(node, x))))
    return;
  Integers order = range(0, rankOf(x));
  std::swap(order[0], order[axis]);
  Value rows = node.transpose(x, order);
  std::optional<Dim> width = numElements(ArrayRef(dimsOf(rows)).drop_front());
  if (!width || !width->isStatic() || width->constant() > kMostColumns)
    return node.refuse("parts of " + (width ? width->str() : "too many") + " elements along axis " + Twine(axis) +
                       ", expected a number up to " + Twine(kMostColumns));
  if (elementOfValue(rows).isInteger(1))
    rows = node.convert(rows, IntegerType::get(rows.getContext(), 8));
  Groups groups = groupsOf(node, node.reshape(rows, {dimsOf(rows)[0], *width}));
  if (node.failed())
    return;
  auto [number, firsts] = numberGroups(node, groups, node.integer("sorted", 1));
  node.set(0, node.gather(x, firsts, axis));
  if (node.wants(1))
    node.set(1, firsts);
  if (node.wants(2))
    node.set(2, number);
  if (!node.wants(3) || node.failed())
    return;
  Dims length{dimsOf(number)[0]};
  Value counts = node.scatter(ScatterKind::Add, zeros(node, length), number,
                              node.broadcast(node.constantInt(1, node.i64()), {}, length), 0, 0);
  node.set(3, node.gather(counts, node.iota(0, dimsOf(firsts), node.i64()), 0));
}

void onnximport::addDataSizes(Converters &converters) {
  converters["NonZero"] = {nonZero, 1, 1, ""};
  converters["Compress"] = {compress, 2, 2, "axis"};
  converters["Unique"] = {unique, 1, 1, "axis,sorted"};
}
