#include "test/fuzz/Bounds.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "test/fuzz/Graph.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace fuzz;

FloatFormat fuzz::formatOf(Element element) {
  switch (element) {
  case Element::F16:
    return {0x1p-11, 0x1p-24, 0x1p-14, 65504};
  case Element::BF16:
    return {0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127};
  case Element::F32:
    return {0x1p-24, 0x1p-149, 0x1p-126, 0x1.fffffep127};
  default:
    return {0x1p-53, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023};
  }
}

double fuzz::roundings(Element element, double size) {
  FloatFormat format = formatOf(element);
  return 2 * format.unit * std::fabs(size) + format.least;
}

bool Seen::isExact() const {
  for (const Tensor *bound : bounds)
    for (int64_t i = 0; i < bound->size(); ++i)
      if (bound->data<double>()[i] != 0)
        return false;
  return true;
}

Tensor fuzz::evaluateOn(const Seen &seen, ArrayRef<const Tensor *> operands, Element element) {
  Sizes sizes; // all dimensions are numbers
  Call call{seen.op, SmallVector<const Tensor *>(operands), element, SmallVector<int64_t>(seen.result.getShape()), sizes};
  for (auto family : {evaluateUnary, evaluateBinary, evaluateShape, evaluateReduction, evaluateContraction, evaluateIndexing,
                      evaluateWindow, evaluateScan, evaluateSort, evaluateLinearAlgebra})
    if (Result result = family(call))
      return *result;
  llvm::report_fatal_error("no interpreter of " + seen.op->getName().getStringRef());
}

Tensor fuzz::magnitudes(const Tensor &tensor) {
  Tensor sizes(Element::F64, tensor.getShape());
  for (int64_t i = 0; i < tensor.size(); ++i)
    sizes.data<double>()[i] = std::isfinite(tensor.at(i)) ? std::fabs(tensor.at(i)) : 0;
  return sizes;
}

void Bounds::observe(Value value, const Tensor &tensor) {
  Tensor bound(Element::F64, tensor.getShape());
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && operandOf(argument))
    bound = boundOfArgument(argument, tensor);
  else if (value.getDefiningOp() && isControl(value.getDefiningOp()))
    bound = boundOfResult(cast<OpResult>(value), tensor);
  else if (Operation *op = value.getDefiningOp(); op && op->getNumOperands()) {
    Seen seen{op, op->getName().stripDialect(), {}, {}, tensor, isDerived};
    for (Value operand : op->getOperands()) {
      seen.values.push_back(&valueOf(operand));
      seen.bounds.push_back(&boundOf(operand));
    }
    Bound known;
    for (auto family : {boundElementwise, boundMove, boundSum, boundSystem})
      if (!known)
        known = family(seen);
    if (known)
      bound = *known;
    else if (!seen.isExact())
      std::fill_n(bound.data<double>(), bound.size(), std::nan(""));
  }
  values[value] = {tensor, std::move(bound)};
}

void Bounds::observeCollective(Value value, const Tensor &tensor, ArrayRef<const Bounds *> along, size_t index) {
  Operation *op = value.getDefiningOp();
  SmallVector<const Tensor *> operands, bounds;
  for (const Bounds *rank : along) {
    operands.push_back(&rank->valueOf(op->getOperand(0)));
    bounds.push_back(&rank->boundOf(op->getOperand(0)));
  }
  Tensor bound = boundCollective(op, tensor, operands, bounds, index);
  values[value] = {tensor, std::move(bound)};
}
