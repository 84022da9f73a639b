// Prepares the operands of terminators and the initial values of loops, so that they can be computed in place.
#ifndef LATHE_PASSES_PLAN_ENDS_H
#define LATHE_PASSES_PLAN_ENDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Plan/Liveness.h"

namespace lathe {

/// Inserts a kernel that copies the operand's value before the op, for this operand only.
void setCopy(mlir::OpOperand &operand, mlir::func::FuncOp function, Positions &positions);

/// Inserts copies where they are needed. Afterwards, each operand of a terminator is computed in its block by an op that can
/// write to any buffer and occurs once, or is a carry that is passed on unchanged. Each carry of each loop begins with a value
/// that nothing else reads from the loop on: a kernel's result, or a carry of the enclosing loop that the result replaces and
/// with which it shares a buffer. Numbers all ops, including the copies.
void isolateBlocks(mlir::func::FuncOp function, Positions &positions);

/// True if a step may write carry `index` of a loop in place of its old value: nothing reads that later, and the op that
/// computes the new value reads only the elements that it replaces.
bool updatesInPlace(mlir::Operation *loop, unsigned index, const Positions &positions);

/// Returns the value that originally fills the buffer of `value`: follows loops that update a carry in place back to the
/// initial value. Returns a block argument for a carry of the enclosing loop.
mlir::Value originOf(mlir::Value value, const Positions &positions);

} // namespace lathe

#endif
