// Control ops in the making: a region is written as a body first, because what it collects is known at its end.
#ifndef LATHE_AUTODIFF_CONTROL_H
#define LATHE_AUTODIFF_CONTROL_H

#include "passes/Autodiff/Emit.h"
#include "passes/Autodiff/Flow.h"

namespace lathe::autodiff {

/// The operands of a loop by group. Its body's arguments have the same order.
struct Operands {
  llvm::SmallVector<mlir::Value> consts, carry, xs;
};

/// A scan of as many steps as `trip`, or up to `length` if that is not null. The body yields the carries, then what is
/// collected.
ScanOp makeScan(Emit &e, const Dim &trip, mlir::Value length, bool reverse, const Operands &operands, Body &body);
/// An if, whose branches yield alike.
IfOp makeIf(Emit &e, mlir::Value predicate, mlir::ValueRange consts, Body &taken, Body &otherwise);
/// A checkpoint around the body.
CheckpointOp makeCheckpoint(Emit &e, mlir::ValueRange consts, Body &body);
/// A while with the bound and policy of `like`.
WhileOp makeWhile(Emit &e, WhileOp like, mlir::ValueRange consts, mlir::ValueRange carry, Body &condition, Body &body);

/// The type in which so many steps are counted.
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

/// An argument of the body for each value, of its type.
llvm::SmallVector<mlir::Value> addLike(Body &body, mlir::ValueRange values);
/// A body with the ops and yields of `from` and arguments in another order: arguments[i] takes the place of from's argument i.
void moveOps(Body &from, Body &to, mlir::ValueRange arguments);
/// The ops of a region again, for these arguments. Gives what the region yields.
llvm::SmallVector<mlir::Value> copyRegion(Emit &e, mlir::Region &region, mlir::ValueRange arguments);

} // namespace lathe::autodiff

#endif
