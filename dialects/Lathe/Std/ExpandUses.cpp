#include "dialects/Lathe/IR/DerivativeRules.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expand.h"

using namespace mlir;
using namespace lathe;

/// Casts the operands to the callee's argument types, which name no dimensions. Inference removes the casts.
static SmallVector<Value> unnamed(OpBuilder &builder, StdOp use, func::FuncOp callee) {
  SmallVector<Value> operands(use.getOperands());
  for (auto [operand, type] : llvm::zip_equal(operands, callee.getArgumentTypes()))
    if (operand.getType() != type)
      operand = UnrealizedConversionCastOp::create(builder, use.getLoc(), type, operand).getResult(0);
  return operands;
}

FailureOr<int64_t> composites::expandUses(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<StdOp> uses;
  module->walk([&](StdOp use) { uses.push_back(use); });
  int64_t expanded = 0;
  bool isGood = true;                 // all uses report their errors
  for (; !uses.empty(); ++expanded) { // templates use others
    StdOp use = uses.pop_back_val();
    OwningOpRef<func::FuncOp> function = expansionOf(use);
    if (!function) {
      isGood = false;
      continue;
    }
    (*function)->walk([&](StdOp inner) { uses.push_back(inner); });
    func::FuncOp callee = function.release();
    symbols.insert(callee); // finds a free name
    if (hasTangent(use)) {
      OwningOpRef<func::FuncOp> tangent = tangentOf(use, callee);
      if (!tangent)
        return failure();
      (*tangent)->walk([&](StdOp inner) { uses.push_back(inner); });
      setRule(callee, {FlatSymbolRefAttr::get(module.getContext(), symbols.insert(tangent.release())), {}, {}});
    }
    OpBuilder builder(use);
    use.replaceAllUsesWith(func::CallOp::create(builder, use.getLoc(), callee, unnamed(builder, use, callee)).getResults());
    use.erase();
  }
  if (!isGood)
    return failure();
  return expanded;
}
