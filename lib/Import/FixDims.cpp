// --dim: named dimensions become numbers once all of them are named.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

namespace {
struct FixDims : PassWrapper<FixDims, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FixDims)
  explicit FixDims(std::map<std::string, int64_t> sizes = {}) : sizes(std::move(sizes)) {}
  FixDims(const FixDims &other) : PassWrapper(other), sizes(other.sizes) {}
  StringRef getArgument() const final { return "lathe-fix-dims"; }
  StringRef getDescription() const final { return "Replace named dimensions by numbers"; }

  void runOnOperation() final {
    SmallVector<std::string> names;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Type type : function.getArgumentTypes())
        for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
          dim.collectNames(names);
    std::map<std::string, Dim> values;
    for (auto &[name, size] : sizes) {
      if (failed(check(name, size, names)))
        return signalPassFailure();
      values[name] = Dim(size);
    }
    if (!values.empty())
      substituteDims(getOperation(), values);
  }

private:
  LogicalResult check(const std::string &name, int64_t size, ArrayRef<std::string> names) {
    if (!llvm::is_contained(names, name)) { // at a place of the graph: the module itself has none
      auto functions = getOperation().getOps<func::FuncOp>();
      Location place = functions.empty() ? getOperation().getLoc() : (*functions.begin()).getLoc();
      return emitError(place) << "there is no dimension '" << name << "' to fix"
                              << (names.empty() ? "" : "; there are " + llvm::join(names, ", "));
    }
    auto [low, high, multiple, declaration] = boundsOf(getOperation(), name);
    if (declaration && (size < low || size > high || size % multiple))
      return declaration.emitError("dimension '") << name << "' cannot be fixed at " << size << ": expected " << low << " to "
                                                  << high << ", a multiple of " << multiple;
    return success();
  }

  std::map<std::string, int64_t> sizes;
};
} // namespace

std::unique_ptr<Pass> lathe::createFixDimsPass(std::map<std::string, int64_t> sizes) {
  return std::make_unique<FixDims>(std::move(sizes));
}
