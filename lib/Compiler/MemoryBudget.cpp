#include "lib/Compiler/MemoryBudget.h"
#include "codegen/Emit/Versions.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Sizes.h"
#include "lib/Support/Explain.h"
#include "passes/Order/Order.h"
#include "passes/Plan/Plan.h"
#include "passes/Recompute/Recompute.h"

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
    Dim workspace = arenaOf(versionsOf(module, function.getSymName())) + reservedBytesOf(function);
    std::optional<int64_t> bytes = evaluate(workspace, options.budgetSizes);
    if (!bytes || *bytes > options.memoryBudget)
      return function.emitError("the workspace of @")
             << function.getSymName() << " with all of its versions takes " << bytes.value_or(INT64_MAX)
             << " bytes, but --mem-budget allows " << options.memoryBudget << "; specialise for fewer sizes, or allow as much";
  }
  return success();
}

LogicalResult lathe::checkBudget(ModuleOp module, const ModuleSignature &signature, const CompileOptions &options) {
  for (const Signature &function : signature.functions) {
    std::optional<int64_t> bytes = evaluate(function.workspace, options.budgetSizes);
    if (options.memoryBudget && (!bytes || *bytes > options.memoryBudget))
      return module.lookupSymbol(function.name)->emitError("the workspace of @")
             << function.name << " takes " << bytes.value_or(INT64_MAX) << " bytes, but --mem-budget allows "
             << options.memoryBudget << "; use as much, or a smaller batch";
  }
  return success();
}
