#include "lib/Compiler/MemoryBudget.h"
#include "codegen/Emit/Versions.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Sizes.h"
#include "lib/Support/Explain.h"
#include "passes/Order/Order.h"
#include "passes/Plan/Plan.h"

using namespace mlir;
using namespace lathe;

Dim lathe::planWorkspace(func::FuncOp function) {
  Trial trial;
  func::FuncOp copy = function.clone();
  orderSteps(copy);
  planFunction(copy);
  Dim workspace = Dim::fromAttr(copy->getAttrOfType<DimAttr>(kWorkspaceAttr));
  copy.erase();
  return workspace;
}

LogicalResult lathe::checkBudget(ModuleOp module, const CompileOptions &options) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!options.memoryBudget || function.isDeclaration() || !function.isPublic())
      continue;
    std::optional<int64_t> bytes = evaluate(arenaOf(versionsOf(module, function.getSymName())), options.budgetSizes);
    if (!bytes || *bytes > options.memoryBudget)
      return function.emitError("the workspace of @")
             << function.getSymName() << " with all of its versions takes " << bytes.value_or(INT64_MAX)
             << " bytes, but --mem-budget allows " << options.memoryBudget << "; specialise for fewer sizes, or allow as much";
  }
  return success();
}
