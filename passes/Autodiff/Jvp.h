// Tangents beside primals.
#ifndef LATHE_AUTODIFF_JVP_H
#define LATHE_AUTODIFF_JVP_H

#include "passes/Autodiff/Activity.h"

namespace lathe::autodiff {

/// Values in a builder's block, and their tangents; a null tangent is a symbolic zero.
struct Dual {
  llvm::SmallVector<mlir::Value> primals, tangents;
};

/// Emits the body for the given arguments, each active op followed by its tangent. Gives the body's yields.
mlir::FailureOr<Dual> jvp(const Rules &rules, Emit &e, Body &body, const Activity &activity, const Dual &arguments);

} // namespace lathe::autodiff

#endif
