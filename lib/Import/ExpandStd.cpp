// Makes a call of a private function of each use of a composite. The function is the use's own: its ops have the use's place,
// so that what is said of them later names the graph's line.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expand.h"
#include "lib/Import/CheckInference.h"
#include "lib/Import/Import.h"

using namespace mlir;
using namespace lathe;

namespace {
struct ExpandStd : PassWrapper<ExpandStd, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandStd)
  ExpandStd() = default;
  ExpandStd(const ExpandStd &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lathe-expand-std"; }
  StringRef getDescription() const final {
    return "Replaces each lathe.std op by a call of a private function of plain ops, made of the library's template and marked "
           "lathe.composite.";
  }
  void runOnOperation() final {
    FailureOr<int64_t> uses = composites::expandUses(getOperation());
    if (failed(uses)) {
      llvm::DenseSet<Operation *> faulty;
      getOperation().walk([&](StdOp use) { faulty.insert(use); }); // which are left
      checkInference(getOperation(), faulty);
      return signalPassFailure();
    }
    expanded += *uses;
  }

private:
  Statistic expanded{this, "expanded", "uses of composites"};
};
} // namespace

std::unique_ptr<Pass> lathe::createExpandStdPass() { return std::make_unique<ExpandStd>(); }
