#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Strips/StepKeys.h"
#include "passes/Strips/Strips.h"

namespace lathe {
#define GEN_PASS_DEF_SKIPKEYSPASS
#include "passes/Strips/Strips.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct SkipKeysPass : lathe::impl::SkipKeysPassBase<SkipKeysPass> {
  using SkipKeysPassBase::SkipKeysPassBase;

  void runOnOperation() final {
    SmallVector<ScanOp> loops;
    getOperation().walk([&](ScanOp loop) { loops.push_back(loop); });
    for (ScanOp loop : loops) {
      StepKeys keys(loop);
      if (!keys.find())
        continue;
      keys.limit();
      ++skipping;
      explain(loop.getLoc(), "fusion", "a step of the loop skips the keys after the last one that its queries see");
    }
  }
};
} // namespace
