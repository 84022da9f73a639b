// What blocks give to their ends, and what loops begin with: values that can be made where they are to be.
#ifndef LATHE_PASSES_PLAN_ENDS_H
#define LATHE_PASSES_PLAN_ENDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Plan/Liveness.h"

namespace lathe {

/// Puts a kernel that copies the operand's value in front of the op, for this operand only.
void setCopy(mlir::OpOperand &operand, mlir::func::FuncOp function, Positions &positions);

/// Makes copies where they are needed. Then each value that the end of the function or of a region has is made in its block, by
/// an op that can write it anywhere, and is there once, or is a carry that is passed on as it is. And each carry of each loop
/// begins as what nothing else reads from the loop on: the result of a kernel, or a carry of the loop around it that has the
/// result, and is in one place with it. Numbers all ops, the copies too.
void isolateBlocks(mlir::func::FuncOp function, Positions &positions);

/// The values that the carries of a loop begin with; none of a branch. As many results are carries, and as many values at the
/// end of the body.
mlir::OperandRange firstOf(mlir::Operation *control);
inline size_t carriesOf(mlir::Operation *control) { return firstOf(control).size(); }

/// True if a step may write carry `index` of a loop in place of its old value: nothing reads that later, and the op that makes
/// the new value reads only the elements that it replaces.
bool updatesInPlace(mlir::Operation *loop, unsigned index, const Positions &positions);

/// The value whose making puts `value` where it is: through loops that update a carry in place what it begins as. A block's
/// argument if that is a carry of the loop around it.
mlir::Value originOf(mlir::Value value, const Positions &positions);

/// The body of a loop.
mlir::Block &bodyOf(mlir::Operation *loop);

} // namespace lathe

#endif
