// Which values depend on which, through ops and through the regions of control ops.
#ifndef LATHE_AUTODIFF_FLOW_H
#define LATHE_AUTODIFF_FLOW_H

#include "dialects/Lathe/IR/Control.h"
#include "passes/Autodiff/Body.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe::autodiff {

/// A step from `from` to `to`, which an op's result or a region's argument depends on; true if it counts.
using Step = llvm::function_ref<bool(mlir::Operation *op, mlir::Value from, mlir::Value to)>;

/// Everything that depends on the seeds, the seeds included. Of a plain op each result depends on each operand; what a control
/// op passes on goes from value to value, into and out of its regions and around loops. Its predicate, length and condition
/// decide which values there are, and do not count as a step.
llvm::DenseSet<mlir::Value> dependents(mlir::ValueRange seeds, Step counts);
inline llvm::DenseSet<mlir::Value> dependents(mlir::ValueRange seeds) {
  return dependents(seeds, [](mlir::Operation *, mlir::Value, mlir::Value) { return true; });
}

/// Everything that the seeds depend on, the seeds included, by the same steps.
llvm::DenseSet<mlir::Value> dependencies(mlir::ValueRange seeds, Step counts);

/// The values that one value depends on directly: operands of its op, or what a control op gives it.
llvm::SmallVector<mlir::Value> directSources(mlir::Value value);
/// The values that depend on this use directly.
llvm::SmallVector<mlir::Value> directTargets(mlir::OpOperand &use);

} // namespace lathe::autodiff

#endif
