// Prepares the operands of terminators and the initial values of loops, so that they can be computed in place.
#ifndef LATHE_PASSES_PLAN_ENDS_H
#define LATHE_PASSES_PLAN_ENDS_H

#include "lib/Analysis/Liveness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// Inserts a kernel that copies the operand's value before the op, for this operand only.
void setCopy(mlir::OpOperand &operand, mlir::func::FuncOp function, Positions &positions);

/// Inserts copies where they are needed. Afterwards, each operand of a terminator is computed in its block by an op that can
/// write to any buffer and occurs once, or is a carry that is passed on unchanged. Each carry of each loop begins with a value
/// that nothing else reads from the loop on: a kernel's result, or a carry of the enclosing loop, or a variable, that the
/// result replaces and with which it shares a buffer. A carry with two buffers may instead begin with a value that nothing
/// writes, which the first step reads where it is. Numbers all ops, including the copies.
void isolateBlocks(mlir::func::FuncOp function, Positions &positions);

} // namespace lathe

#endif
