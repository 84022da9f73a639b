#include "codegen/Emit/Predication.h"
#include "codegen/Emit/EntryEmitter.h"

using namespace mlir;
using namespace lathe;

bool lathe::isPredicated(IfOp branch) {
  auto result = branch->walk([&](Operation *op) {
    bool needsHost = isa<WhileOp>(op);
    if (auto scan = dyn_cast<ScanOp>(op))
      needsHost |= bool(scan.getLength());
    if (auto kernel = dyn_cast<KernelOp>(op))
      needsHost |= externOf(kernel) || reportOf(kernel);
    return needsHost ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

unsigned lathe::predicateDepth(Operation *op) {
  unsigned depth = 0;
  for (auto branch = op->getParentOfType<IfOp>(); branch; branch = branch->getParentOfType<IfOp>())
    depth += isPredicated(branch);
  return depth;
}

unsigned lathe::countPredicated(Operation *function) {
  unsigned count = 0;
  function->walk([&](IfOp branch) { count += isPredicated(branch); });
  return count;
}
