// Creates the functions that a check of derivatives runs, from a function of the graph.
// || A subject is checked: the function itself, or, if it contains lathe.minimize, the loss of each minimize as a function of
// the same arguments. The entries of subject number S take the subject's arguments, then each variable that it reads as a plain
// input:
//   gradcheck.value.S      the float results
//   gradcheck.reverse.S    further inputs: a cotangent for each of these results; the gradient by each checked input
//   gradcheck.forward.S    further inputs: a tangent for each checked input; the tangents of the float results
//   gradcheck.variables.S  the current values of the variables, in that order; only if there are any
// The names of inputs and results tell their roles: see the constants below.
#ifndef LATHE_PASSES_GRADCHECK_GRADCHECK_H
#define LATHE_PASSES_GRADCHECK_GRADCHECK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace lathe {

namespace gradcheck {
inline constexpr llvm::StringLiteral kValue = "gradcheck.value.", kReverse = "gradcheck.reverse.",
                                     kForward = "gradcheck.forward.", kVariables = "gradcheck.variables.";
inline constexpr llvm::StringLiteral kVariable = "lathe_variable";   // + its number among the module's variables
inline constexpr llvm::StringLiteral kGradient = "lathe_gradient";   // + the number of the input
inline constexpr llvm::StringLiteral kResult = "lathe_result";       // + a number
inline constexpr llvm::StringLiteral kDirection = "lathe_direction"; // + a number: a cotangent or tangent
} // namespace gradcheck

/// Returns the function to check: the public one of this name, or the first public one if the name is empty. Null if there is
/// none.
mlir::func::FuncOp findGradcheckSubject(mlir::ModuleOp module, llvm::StringRef name);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Gradcheck/Gradcheck.h.inc"

} // namespace lathe

#endif
