// Reductions: by Lathe's own kinds, as the index of an extremum, or else by any body, pair by pair.
#include "lib/Import/StableHLO/Operators/Bodies.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// True for the body that JAX and others write for argmax and argmin: it compares two pairs of a value and an index, takes the
/// extreme value, of equal ones the one with the lower index, and a NaN before numbers.
static std::optional<ReduceKind> extremeIndexOf(Region &body) {
  Block &block = body.front();
  if (block.getNumArguments() != 4 || block.back().getNumOperands() != 2)
    return std::nullopt;
  Value value = block.getArgument(0), index = block.getArgument(1), otherValue = block.getArgument(2),
        otherIndex = block.getArgument(3);
  auto compares = [](Value found, StringRef direction, Value lhs, Value rhs) {
    Operation *op = found.getDefiningOp();
    auto text = op ? op->getAttrOfType<StringAttr>("comparison_direction") : StringAttr();
    return text && text.getValue() == direction && op->getOperand(0) == lhs && op->getOperand(1) == rhs;
  };
  auto partsOf = [](Value found, StringRef name) {
    Operation *op = found.getDefiningOp();
    return op && op->getName().stripDialect() == name ? SmallVector<Value>(op->getOperands()) : SmallVector<Value>();
  };
  SmallVector<Value> first = partsOf(block.back().getOperand(0), "select"),
                     second = partsOf(block.back().getOperand(1), "select");
  if (first.size() != 3 || second.size() != 3 || first[1] != value || first[2] != otherValue || second[1] != index ||
      second[2] != otherIndex)
    return std::nullopt;
  auto isBetter = [&](Value found, StringRef direction) { // for floats, a NaN is better, too
    SmallVector<Value> either = partsOf(found, "or");
    return compares(found, direction, value, otherValue) ||
           (either.size() == 2 && compares(either[0], direction, value, otherValue) && compares(either[1], "NE", value, value));
  };
  SmallVector<Value> either = partsOf(second[0], "or");
  SmallVector<Value> both = either.size() == 2 ? partsOf(either[1], "and") : SmallVector<Value>();
  if (both.size() != 2 || either[0] != first[0] || !compares(both[0], "EQ", value, otherValue) ||
      !compares(both[1], "LT", index, otherIndex))
    return std::nullopt;
  if (isBetter(first[0], "GT"))
    return ReduceKind::Max;
  return isBetter(first[0], "LT") ? std::optional(ReduceKind::Min) : std::nullopt;
}

/// Reduces a value and its indices to the extreme value and its index. Returns false if this is not what the op does.
static bool reduceToIndex(HloNode &node, ArrayRef<int64_t> dims) {
  if (node.results() != 2 || dims.size() != 1)
    return false;
  Value indices = node.operand(1);
  auto iota = indices.getDefiningOp<IotaOp>();
  std::optional<ReduceKind> kind = extremeIndexOf(node.op->getRegion(0));
  if (!iota || int64_t(iota.getDim()) != dims[0] || !kind || !isNeutral(*kind, node.operand(2)) ||
      integerOf(node.operand(3)) != 0)
    return false;
  Value value = node.operand(0);
  NamedAttribute dim = node.number("dim", dims[0]);
  Value index = *kind == ReduceKind::Max ? node.emit<ArgmaxOp>(value, dim) : node.emit<ArgminOp>(value, dim);
  node.set(0, node.reduce(*kind, value, dims, /*keep=*/false));
  node.set(1, node.convert(index, node.resultElement(1)));
  return true;
}

/// Reduces by a body, pair by pair.
static void reduceByBody(HloNode &node, ArrayRef<int64_t> dims) {
  unsigned count = node.results();
  Dims all = node.dims(0), rest, moved;
  Integers order(dims);
  Dim steps(1);
  for (int64_t dim : dims)
    steps = steps * all[dim];
  for (int64_t dim = 0; dim < int64_t(all.size()); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      rest.push_back(all[dim]);
    }
  if (!steps.isStatic())
    return node.refuse("a reduction by this body needs fixed sizes of what it reduces; fix them with --dim");
  moved.push_back(steps);
  moved.append(rest);
  SmallVector<Value> values, starts = node.operandRange(count, 2 * count);
  for (unsigned i = 0; i < count; ++i)
    values.push_back(node.reshape(node.transpose(node.operand(i), order), moved));
  for (Value &start : starts)
    start = node.broadcast(start, {}, rest);
  if (steps.isStatic(0))
    return node.set(starts);
  Region &body = node.op->getRegion(0);
  values = reduceByTree(node, body, values, steps.constant(), rest);
  if (node.failed())
    return;
  SmallVector<Value> arguments(starts);
  arguments.append(values);
  node.set(node.liftRegion(body, arguments, rest));
}

static void reduce(HloNode &node) {
  Integers dims(node.numbers("dimensions"));
  Region &body = node.op->getRegion(0);
  int64_t rank = node.rank(0);
  llvm::sort(dims);
  if (llvm::any_of(dims, [&](int64_t dim) { return dim < 0 || dim >= rank; }) || node.operands() != 2 * node.results() ||
      !body.hasOneBlock())
    return node.refuse("expected dimensions of the operands, and a start for each operand");
  if (reduceToIndex(node, dims))
    return;
  std::optional<ReduceKind> kind = reduceKindOf(combinerOf(body), node.element(0));
  if (node.results() != 1 || !kind || node.resultElement() != node.element(0))
    return reduceByBody(node, dims);
  Value result = node.reduce(*kind, node.operand(0), dims, /*keep=*/false);
  Value start = node.operand(1);
  node.set(0, isNeutral(*kind, start) ? result : combine(node, *kind, start, result));
}

void hloimport::addReductions(Converters &converters) { converters["stablehlo.reduce"] = reduce; }
