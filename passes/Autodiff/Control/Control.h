// Builders for control ops. A region is first built as a detached body, because the values it collects are known only at its
// end.
#ifndef LATHE_AUTODIFF_CONTROL_H
#define LATHE_AUTODIFF_CONTROL_H

#include "passes/Autodiff/Emit.h"
#include "passes/Autodiff/Flow.h"

namespace lathe::autodiff {

/// The operands of a loop by group. Its body's arguments have the same order.
struct Operands {
  llvm::SmallVector<mlir::Value> consts, carry, xs;
};

/// Builds a scan with `trip` steps, or up to `length` steps if that is not null. The body yields the carries, then the
/// collected values.
ScanOp makeScan(Emit &e, const Dim &trip, mlir::Value length, bool reverse, const Operands &operands, Body &body);
/// Builds an if whose branches yield the same types.
IfOp makeIf(Emit &e, mlir::Value predicate, mlir::ValueRange consts, Body &taken, Body &otherwise);
/// Builds a checkpoint around the body.
CheckpointOp makeCheckpoint(Emit &e, mlir::ValueRange consts, Body &body);
/// Builds a while with the bound and policy of `like`.
WhileOp makeWhile(Emit &e, WhileOp like, mlir::ValueRange consts, mlir::ValueRange carry, Body &condition, Body &body);

/// Returns the type in which the steps are counted.
inline mlir::Type counterOf(Emit &e, const Dim &steps) {
  return e.getBuilder().getIntegerType(steps.isStatic() && steps.constant() < INT32_MAX ? 32 : 64);
}

/// Calls the visitor's method for the kind of a control op: branch, checkpoint, scan or loop.
template <typename Visitor>
auto visitControl(Visitor &visitor, mlir::Operation *op) {
  if (auto branch = mlir::dyn_cast<IfOp>(op))
    return visitor.branch(branch);
  if (auto checkpoint = mlir::dyn_cast<CheckpointOp>(op))
    return visitor.checkpoint(checkpoint);
  if (auto scan = mlir::dyn_cast<ScanOp>(op))
    return visitor.scan(scan);
  return visitor.loop(mlir::cast<WhileOp>(op));
}

/// Adds an argument to the body for each value, with its type, and returns the arguments.
llvm::SmallVector<mlir::Value> addLike(Body &body, mlir::ValueRange values);
/// Moves the ops and yields of `from` into a body with arguments in another order: arguments[i] replaces from's argument i.
void moveOps(Body &from, Body &to, mlir::ValueRange arguments);
/// Emits a copy of a region's ops for these arguments, and returns the values that the region yields.
llvm::SmallVector<mlir::Value> copyRegion(Emit &e, mlir::Region &region, mlir::ValueRange arguments);

} // namespace lathe::autodiff

#endif
