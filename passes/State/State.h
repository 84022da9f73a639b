// Makes state explicit: variables become arguments and results, optimisers become ops.
#ifndef LATHE_PASSES_STATE_STATE_H
#define LATHE_PASSES_STATE_STATE_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// Attribute of an entry of one lathe.value_and_grad: the variables by which it is to return gradients too.
inline constexpr llvm::StringLiteral kVariableGradientsAttr = "lathe.variable_gradients";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/State/State.h.inc"

} // namespace lathe

#endif
