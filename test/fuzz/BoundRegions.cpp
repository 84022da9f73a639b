// Bounds of what goes into regions, from step to step, and out of them.
#include "dialects/Lathe/IR/Control.h"
#include "test/fuzz/Bounds.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace fuzz;

static bool isZero(const Tensor &bound) {
  const double *data = bound.data<double>();
  return std::all_of(data, data + bound.size(), [](double each) { return each == 0; });
}

/// 0 where all that is behind it is exact, else no bound.
static Tensor allOrNothing(bool isExact, ArrayRef<int64_t> shape) {
  Tensor bound(Element::F64, shape);
  if (!isExact)
    std::fill_n(bound.data<double>(), bound.size(), std::nan(""));
  return bound;
}

static Operation *endOf(Operation *control) { return control->getRegions().back().front().getTerminator(); }

/// Looks at the end of the step that is over; the values may be those of a step before.
void Bounds::endStep(Operation *loop) {
  Run &run = runs[loop];
  if (run.steps++ == 0)
    return;
  run.last.clear();
  for (Value value : endOf(loop)->getOperands()) {
    run.last.push_back(boundOf(value));
    if (isa<ScanOp>(loop))
      run.isExact &= isZero(run.last.back());
  }
}

Tensor Bounds::boundOfArgument(BlockArgument argument, const Tensor &tensor) {
  Operation *op = argument.getOwner()->getParentOp();
  unsigned consts = constsOf(op).size(), index = argument.getArgNumber();
  const Tensor &outside = boundOf(operandOf(argument));
  if (index < consts)
    return outside;
  unsigned carry = index - consts;
  auto loop = dyn_cast<WhileOp>(op);
  if (loop && argument.getOwner() == &loop.getBody().front())
    return boundOf(loop.getCondition().getArgument(index));
  if (carry == 0)
    endStep(op);
  auto scan = dyn_cast<ScanOp>(op);
  if (scan && carry >= scan.getCarry().size())
    return allOrNothing(isZero(outside), tensor.getShape());
  return runs[op].steps == 1 ? outside : runs[op].last[carry];
}

Tensor Bounds::boundOfResult(OpResult result, const Tensor &tensor) {
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto branch = dyn_cast<IfOp>(op)) {
    bool taken = *valueOf(branch.getPredicate()).data<bool>();
    Operation *end = (taken ? branch.getTaken() : branch.getOtherwise()).front().getTerminator();
    return isZero(boundOf(branch.getPredicate())) ? boundOf(end->getOperand(index)) : allOrNothing(false, tensor.getShape());
  }
  if (auto checkpoint = dyn_cast<CheckpointOp>(op))
    return boundOf(checkpoint.getBody().front().getTerminator()->getOperand(index));
  if (auto loop = dyn_cast<WhileOp>(op)) {
    // The same number of steps on both sides: the condition is exact, in its last step at least.
    Value go = loop.getCondition().front().getTerminator()->getOperand(0);
    Tensor bound = isZero(boundOf(go)) ? boundOf(loop.getCondition().getArgument(constsOf(op).size() + index))
                                       : allOrNothing(false, tensor.getShape());
    if (index + 1 == op->getNumResults())
      runs.erase(op);
    return bound;
  }
  auto scan = cast<ScanOp>(op);
  if (scan.getCarry().empty() && scan.getXs().empty()) // all steps are alike, and none has an argument that begins it
    return allOrNothing(tensor.size() == 0 || isZero(boundOf(endOf(op)->getOperand(index))), tensor.getShape());
  if (index == 0 && runs[op].steps)
    endStep(op);
  Run &run = runs[op];
  bool isCounted = !scan.getLength() || isZero(boundOf(scan.getLength()));
  Tensor bound = index >= scan.getCarry().size() ? allOrNothing(isCounted && run.isExact, tensor.getShape())
                 : !isCounted                    ? allOrNothing(false, tensor.getShape())
                 : run.steps                     ? run.last[index]
                                                 : boundOf(scan.getCarry()[index]);
  if (index + 1 == op->getNumResults())
    runs.erase(op);
  return bound;
}
