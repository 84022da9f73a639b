#include "codegen/Emit/Predication.h"
#include "codegen/Emit/EntryEmitter.h"

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
