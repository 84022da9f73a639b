// Dependencies of values, through ops and through the regions of control ops.
#ifndef LATHE_AUTODIFF_FLOW_H
#define LATHE_AUTODIFF_FLOW_H

#include "dialects/Lathe/IR/Control.h"
#include "passes/Autodiff/Body.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe::autodiff {

/// A step from `from` to `to`, an op's result or a region's argument that depends on it. Returns true if the step counts.
using Step = llvm::function_ref<bool(mlir::Operation *op, mlir::Value from, mlir::Value to)>;

/// Returns all values that depend on the seeds, including the seeds. Each result of a plain op depends on each operand. Values
/// passed by a control op are followed one by one, into and out of its regions and around loops. Its predicate, length and
/// condition decide which values exist, and do not count as a step.
llvm::DenseSet<mlir::Value> dependents(mlir::ValueRange seeds, Step counts);
inline llvm::DenseSet<mlir::Value> dependents(mlir::ValueRange seeds) {
  return dependents(seeds, [](mlir::Operation *, mlir::Value, mlir::Value) { return true; });
}

/// Returns all values on which the seeds depend, including the seeds, by the same steps.
llvm::DenseSet<mlir::Value> dependencies(mlir::ValueRange seeds, Step counts);

/// Returns the direct sources of a value: operands of its op, or the values that a control op passes to it.
llvm::SmallVector<mlir::Value> directSources(mlir::Value value);
/// Returns the values that directly depend on this use.
llvm::SmallVector<mlir::Value> directTargets(mlir::OpOperand &use);

} // namespace lathe::autodiff

#endif
