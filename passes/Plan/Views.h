// Slices that need no memory of their own.
#ifndef LATHE_PASSES_PLAN_VIEWS_H
#define LATHE_PASSES_PLAN_VIEWS_H

#include "lib/Analysis/Liveness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// Rewrites kernels that only copy a contiguous part of a value as slices between kernels, which are views. The value must keep
/// its memory at least as long as the part is read, without the part. Renumbers all ops.
void makeSliceViews(mlir::func::FuncOp function, Positions &positions);

} // namespace lathe

#endif
