// Comparisons, booleans and selection.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

template <CompareKind kKind>
static void compare(Node &node) {
  node.set(0, node.compare(kKind, node.input(0), node.rightOperand()));
}

template <typename Op>
static void logical(Node &node) {
  if (!node.element(0) || !node.element(0).isInteger(1))
    return node.refuse("expected a boolean tensor");
  node.set(0, node.emit<Op>({node.input(0), node.rightOperand()}));
}

static void invert(Node &node) {
  if (!node.element(0) || !node.element(0).isInteger(1))
    return node.refuse("expected a boolean tensor");
  node.set(0, node.emit<NotOp>(node.input(0)));
}

/// Keeps the rows that a mask of rows replaces out of a softmax, whose results it does not change. The softmax of a row of -inf
/// is a NaN, and so would be its gradient, although the mask replaces the row. Returns any other value as it is.
static Value withoutRows(Node &node, Value mask, bool replacesTrue, Value value) {
  auto softmax = value ? value.getDefiningOp<StdOp>() : StdOp();
  auto option = softmax ? softmax.getOptions().getAs<IntegerAttr>("dim") : IntegerAttr();
  if (!mask || !option || softmax.getComposite() != "softmax")
    return value;
  int64_t dim = option.getInt();
  Dims rows = dimsOf(mask);
  int64_t inMask = dim + int64_t(rows.size()) - rankOf(value);
  if (rankOf(value) < int64_t(rows.size()) || (inMask >= 0 && rows[inMask] != Dim(1)))
    return value;
  Value x = softmax->getOperand(0), zero = node.constant(0, elementOfValue(x));
  Value kept = replacesTrue ? node.emit<SelectOp>({mask, zero, x}) : node.emit<SelectOp>({mask, x, zero});
  return node.composite("softmax", kept, node.number("dim", dim));
}

static void where(Node &node) {
  SmallVector<Value> operands = node.allInputs();
  if (node.failed())
    return;
  operands[1] = withoutRows(node, operands[0], /*replacesTrue=*/false, operands[1]);
  operands[2] = withoutRows(node, operands[0], /*replacesTrue=*/true, operands[2]);
  node.set(0, node.emit<SelectOp>(operands));
}

void onnximport::addLogic(Converters &converters) {
  converters["Equal"] = {compare<CompareKind::EQ>, 2, 2, "axis,broadcast"};
  converters["Less"] = {compare<CompareKind::LT>, 2, 2, "axis,broadcast"};
  converters["LessOrEqual"] = {compare<CompareKind::LE>, 2, 2, "axis,broadcast"};
  converters["Greater"] = {compare<CompareKind::GT>, 2, 2, "axis,broadcast"};
  converters["GreaterOrEqual"] = {compare<CompareKind::GE>, 2, 2, "axis,broadcast"};
  converters["And"] = {logical<AndOp>, 2, 2, "axis,broadcast"};
  converters["Or"] = {logical<OrOp>, 2, 2, "axis,broadcast"};
  converters["Xor"] = {logical<XorOp>, 2, 2, "axis,broadcast"};
  converters["Not"] = {invert, 1, 1, ""};
  converters["Where"] = {where, 3, 3, ""};
}
