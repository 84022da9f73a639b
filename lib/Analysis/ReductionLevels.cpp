#include "lib/Analysis/ReductionLevels.h"

using namespace mlir;
using namespace lathe;

SmallVector<Value> lathe::tensorsReadBy(NestOp nest) {
  SmallVector<Value> tensors(nest.getInputs());
  nest.walk([&](ElementOp element) { tensors.push_back(element.getTensor()); });
  return tensors;
}

static bool reduces(Operation *op) {
  auto nest = dyn_cast<NestOp>(op);
  return nest ? nest.getReduction() != NestReduction::None : isa<ReductionOpInterface>(op);
}

DenseMap<Value, unsigned> lathe::reductionLevels(KernelOp kernel) {
  DenseMap<Value, unsigned> levels;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto nest = dyn_cast<NestOp>(op);
    unsigned level = 0;
    for (Value operand : nest ? tensorsReadBy(nest) : SmallVector<Value>(op.getOperands()))
      level = std::max(level, levels.lookup(operand));
    for (Value result : op.getResults())
      levels[result] = level + reduces(&op);
  }
  return levels;
}
