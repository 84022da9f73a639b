#include "codegen/GPU/Predication.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

using namespace mlir;
using namespace lathe;

bool lathe::needsHost(Operation *root) {
  auto result = root->walk([&](Operation *op) {
    bool needs = isa<WhileOp>(op);
    if (auto scan = dyn_cast<ScanOp>(op))
      needs |= bool(scan.getLength());
    if (auto kernel = dyn_cast<KernelOp>(op))
      needs |= !isCompiled(kernel);
    return needs ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool lathe::launchesAhead(WhileOp loop) {
  auto needs = [](Region &region) { return llvm::any_of(region.front(), [](Operation &op) { return needsHost(&op); }); };
  return !needs(loop.getCondition()) && !needs(loop.getBody());
}

bool lathe::makesCondition(WhileOp loop) {
  Operation *condition = loop.getCondition().front().getTerminator()->getOperand(0).getDefiningOp();
  return condition && (isa<KernelOp>(condition) || isControl(condition));
}

/// Returns the number of predicates that an op adds to the kernels in it.
static unsigned predicatesOf(Operation *op) {
  if (auto branch = dyn_cast<IfOp>(op))
    return isPredicated(branch);
  auto loop = dyn_cast<WhileOp>(op);
  return !loop || !launchesAhead(loop) ? 0 : makesCondition(loop) ? 1 : 2;
}

unsigned lathe::predicateDepth(Operation *op) {
  unsigned depth = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    depth += predicatesOf(around);
  return depth;
}

Predicated lathe::countPredicated(Operation *function) {
  Predicated count;
  function->walk([&](Operation *op) {
    if (predicatesOf(op))
      ++(isa<IfOp>(op) ? count.branches : count.loops);
  });
  return count;
}

int64_t lathe::loopPlace(const Predicated &all, unsigned loop) {
  return llvm::alignTo(all.branches, kLoopBytes) + loop * kLoopBytes;
}
