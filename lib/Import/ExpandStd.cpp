// Makes a call of a private function of each use of a composite. The function is the use's own: its ops have the use's place,
// so that what is said of them later names the graph's line.
#include "dialects/Lathe/IR/DerivativeRules.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expand.h"
#include "lib/Import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

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
    SymbolTable symbols(getOperation());
    SmallVector<StdOp> uses;
    getOperation()->walk([&](StdOp use) { uses.push_back(use); });
    while (!uses.empty()) { // templates use others
      StdOp use = uses.pop_back_val();
      OwningOpRef<func::FuncOp> function = composites::expansionOf(use);
      if (!function)
        return signalPassFailure();
      (*function)->walk([&](StdOp inner) { uses.push_back(inner); });
      func::FuncOp callee = function.release();
      symbols.insert(callee); // finds a free name
      if (composites::hasTangent(use)) {
        OwningOpRef<func::FuncOp> tangent = composites::tangentOf(use, callee);
        if (!tangent)
          return signalPassFailure();
        (*tangent)->walk([&](StdOp inner) { uses.push_back(inner); });
        setRule(callee, {FlatSymbolRefAttr::get(&getContext(), symbols.insert(tangent.release())), {}, {}});
      }
      OpBuilder builder(use);
      use.replaceAllUsesWith(func::CallOp::create(builder, use.getLoc(), callee, use.getOperands()).getResults());
      use.erase();
      ++expanded;
    }
  }

private:
  Statistic expanded{this, "expanded", "uses of composites"};
};
} // namespace

std::unique_ptr<Pass> lathe::createExpandStdPass() { return std::make_unique<ExpandStd>(); }
