// Helpers for branches and loops that passes share: groups of operands and of block arguments, captured values.
#ifndef LATHE_IR_CONTROL_H
#define LATHE_IR_CONTROL_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/PatternMatch.h"

namespace lathe {

/// True for a branch, a loop or a checkpoint.
inline bool isControl(mlir::Operation *op) { return mlir::isa<ControlOpInterface>(op); }

/// True for a control op whose regions run in steps.
inline bool isLoop(mlir::Operation *op) {
  auto control = mlir::dyn_cast<ControlOpInterface>(op);
  return control && control.isLoop();
}

/// Returns the outer values that the regions of a branch or loop use. They are operands, and the first arguments of each
/// region.
inline mlir::OperandRange constsOf(mlir::Operation *control) { return mlir::cast<ControlOpInterface>(control).getConsts(); }

/// Returns the values that a loop's carries begin with; none for any other op. As many of the first results are the carries
/// after the last step, and as many values at the end of the body are the next ones.
mlir::OperandRange carriesOf(mlir::Operation *op);

/// Adds a value as the last const, without a search for an equal one.
void addConst(mlir::Operation *control, mlir::Value value);

/// Returns the operand that a region's argument gets at first: a const, a carry's initial value, or the stack of a slice. Null
/// for an argument of another op.
mlir::Value operandOf(mlir::BlockArgument argument);

/// Returns the outer value of an argument that is a const of a branch or loop; null for any other value.
mlir::Value constOf(mlir::Value value);

/// Replaces values that regions use from outside by arguments, which follow the first `known` ones in each region. Returns
/// these values.
llvm::SmallVector<mlir::Value> captureConsts(llvm::ArrayRef<mlir::Region *> regions, unsigned known = 0);

/// Closes the regions of a branch or loop that were built with captured values.
void closeRegions(mlir::Operation *control);

/// Returns the value inside the block `inside`, which is in regions of branches and loops below the value's block. Passes it as
/// a const through all of them.
mlir::Value bringInto(mlir::Block *inside, mlir::Value value);

/// True for an op that may leave the loop around it.
using MayHoist = llvm::function_ref<bool(mlir::Operation *op)>;

/// Moves ops that depend only on consts from a loop's regions to before it: pure ops without regions, unless they only repeat
/// or name a value, or may not leave the loop. Returns true if there were any.
bool hoistInvariants(mlir::RewriterBase &rewriter, mlir::Operation *loop, MayHoist mayHoist);

/// True if an op may leave the loop around it in a function that is yet to be differentiated. A loop that runs no step passes
/// nothing back to its ops; outside of it, an op gets a cotangent of 0, which an infinite derivative turns into NaN. So either
/// the loop runs a step for all inputs, or the op's derivative keeps zeros.
bool mayHoistBeforeDerivatives(mlir::Operation *op);

/// True if running the op may end the entry with an error status: it is or contains a bounded while, an external call, an
/// assertion or a check.
bool mayFail(mlir::Operation *op);

/// Return the type of a stack's slice along a dimension, and of a slice's stack.
mlir::RankedTensorType sliceOf(mlir::RankedTensorType stack, int64_t dim);
mlir::RankedTensorType stackOf(mlir::RankedTensorType slice, int64_t dim, const Dim &steps);

} // namespace lathe

#endif
