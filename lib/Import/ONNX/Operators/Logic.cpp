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

static void where(Node &node) { node.set(0, node.emit<SelectOp>(node.allInputs())); }

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
