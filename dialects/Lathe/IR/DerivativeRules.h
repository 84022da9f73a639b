// Functions that declare their own derivative.
// || `lathe.tangent = @t` on a function names the function of its tangents; `lathe.gradient = [@forward, @backward]` names the
// two of its pullback. Calls of such a function stay calls until derivatives are built, which use the rule and not the body.
#ifndef LATHE_IR_DERIVATIVE_RULES_H
#define LATHE_IR_DERIVATIVE_RULES_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// The derivative rule that a function declares: `tangent`, or both `forward` and `backward`, or nothing.
struct DerivativeRule {
  /// (arguments, a tangent of each float one) -> (results, a tangent of each float one)
  mlir::FlatSymbolRefAttr tangent;
  /// (arguments) -> (results, residuals)
  mlir::FlatSymbolRefAttr forward;
  /// (residuals, a cotangent of each float result) -> (a cotangent of each float argument)
  mlir::FlatSymbolRefAttr backward;

  explicit operator bool() const { return tangent || backward; }
  /// Returns the functions that it names.
  llvm::SmallVector<mlir::FlatSymbolRefAttr, 2> functions() const;
};

DerivativeRule ruleOf(mlir::func::FuncOp function);
inline bool hasRule(mlir::func::FuncOp function) { return bool(ruleOf(function)); }
/// Sets a function's rule; an empty one removes it.
void setRule(mlir::func::FuncOp function, const DerivativeRule &rule);

/// Checks one of the two attributes on its op, and that the functions fit.
mlir::LogicalResult verifyRule(mlir::Operation *op, mlir::NamedAttribute attribute);

} // namespace lathe

#endif
