// Replaces each use of a composite by a call of a private function. Each use has its own function, whose ops have the use's
// location, so that later diagnostics name the graph's line.
#include "passes/ExpandStd/ExpandStd.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expand.h"

namespace lathe {
#define GEN_PASS_DEF_EXPANDSTDPASS
#include "passes/ExpandStd/ExpandStd.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct ExpandStd : lathe::impl::ExpandStdPassBase<ExpandStd> {
  using ExpandStdPassBase::ExpandStdPassBase;
  explicit ExpandStd(std::function<void(ModuleOp)> refused) : refused(std::move(refused)) {}

  void runOnOperation() final {
    FailureOr<int64_t> uses = composites::expandUses(getOperation());
    if (failed(uses)) {
      if (refused)
        refused(getOperation());
      return signalPassFailure();
    }
    expanded += *uses;
  }

private:
  std::function<void(ModuleOp)> refused; // may be null
};
} // namespace

std::unique_ptr<Pass> lathe::createExpandStdPass(std::function<void(ModuleOp module)> refused) {
  return std::make_unique<ExpandStd>(std::move(refused));
}
