// The functions to which an op refers, and all that a function reaches through them.
#ifndef LATHE_IR_CALLEES_H
#define LATHE_IR_CALLEES_H

#include "dialects/Lathe/IR/DerivativeRules.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {

/// Returns the name of the function that an op calls, differentiates, batches or minimizes; null for any other op.
inline mlir::FlatSymbolRefAttr calleeNameOf(mlir::Operation *op) {
  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
    return call.getCalleeAttr();
  if (auto transform = mlir::dyn_cast<FunctionTransformOpInterface>(op))
    return transform.getCalleeAttr();
  auto minimize = mlir::dyn_cast<MinimizeOp>(op);
  return minimize ? minimize.getLossAttr() : mlir::FlatSymbolRefAttr();
}

/// Returns that function; null if the op names none, or one that does not exist.
inline mlir::func::FuncOp calleeOf(mlir::Operation *op) {
  mlir::FlatSymbolRefAttr name = calleeNameOf(op);
  return name ? mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(op, name) : mlir::func::FuncOp();
}

enum class Reach { Calls, CallsAndRules };

/// Visits the ops of a function and of all functions that it reaches by calls, or also through derivative rules.
inline void walkReached(mlir::func::FuncOp function, Reach reach, llvm::function_ref<void(mlir::Operation *)> visit) {
  llvm::SetVector<mlir::func::FuncOp> functions;
  functions.insert(function);
  for (size_t i = 0; i < functions.size(); ++i) {
    mlir::func::FuncOp each = functions[i];
    each.walk([&](mlir::Operation *op) {
      visit(op);
      if (mlir::func::FuncOp callee = calleeOf(op))
        functions.insert(callee);
    });
    if (reach == Reach::CallsAndRules)
      for (mlir::FlatSymbolRefAttr name : ruleOf(each).functions())
        functions.insert(mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(each, name));
  }
}

} // namespace lathe

#endif
