#include "codegen/Emit/Predication.h"
#include "codegen/Emit/EntryEmitter.h"
#include "dialects/Lathe/IR/Control.h"

using namespace mlir;
using namespace lathe;

bool lathe::needsHost(Operation *root) {
  auto result = root->walk([&](Operation *op) {
    bool needs = isa<WhileOp>(op);
    if (auto scan = dyn_cast<ScanOp>(op))
      needs |= bool(scan.getLength());
    if (auto kernel = dyn_cast<KernelOp>(op))
      needs |= externOf(kernel) || reportOf(kernel);
    return needs ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool lathe::launchesAhead(WhileOp loop) {
  Operation *condition = loop.getCondition().front().getTerminator()->getOperand(0).getDefiningOp();
  auto needs = [](Region &region) { return llvm::any_of(region.front(), [](Operation &op) { return needsHost(&op); }); };
  return condition && (isa<KernelOp>(condition) || isControl(condition)) && !needs(loop.getCondition()) &&
         !needs(loop.getBody());
}

static bool isPredicate(Operation *op) {
  if (auto branch = dyn_cast<IfOp>(op))
    return isPredicated(branch);
  auto loop = dyn_cast<WhileOp>(op);
  return loop && launchesAhead(loop);
}

unsigned lathe::predicateDepth(Operation *op) {
  unsigned depth = 0;
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    depth += isPredicate(around);
  return depth;
}

Predicated lathe::countPredicated(Operation *function) {
  Predicated count;
  function->walk([&](Operation *op) {
    if (isPredicate(op))
      ++(isa<IfOp>(op) ? count.branches : count.loops);
  });
  return count;
}
