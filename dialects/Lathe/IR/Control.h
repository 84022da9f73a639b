// What passes share about branches and loops: groups of operands and of block arguments, values from outside.
#ifndef LATHE_IR_CONTROL_H
#define LATHE_IR_CONTROL_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/PatternMatch.h"

namespace lathe {

/// lathe.if, lathe.scan, lathe.while or lathe.checkpoint.
inline bool isControl(mlir::Operation *op) { return mlir::isa<IfOp, ScanOp, WhileOp, CheckpointOp>(op); }

/// Returns the outer values that the regions of a branch or loop use. They are operands, and the first arguments of each
/// region.
mlir::OperandRange constsOf(mlir::Operation *control);

/// Makes a value one of them, the last, without a look at those that are there.
void addConst(mlir::Operation *control, mlir::Value value);

/// The operand that a region's argument begins with: a const, a carry's first value, or what it is a slice of. Null for an
/// argument of another op.
mlir::Value operandOf(mlir::BlockArgument argument);

/// The consts that regions need for what they use from outside of themselves. In each region an argument for each of them
/// follows the first `known` ones, and is used instead.
llvm::SmallVector<mlir::Value> captureConsts(llvm::ArrayRef<mlir::Region *> regions, unsigned known = 0);

/// Closes the regions of a branch or loop that were built with captured values.
void closeRegions(mlir::Operation *control);

/// The same value inside of the block `inside`, which stands in regions of branches and loops below the value's block: through
/// consts of all of them.
mlir::Value bringInto(mlir::Block *inside, mlir::Value value);

/// Moves what depends on consts alone from a loop's regions to before it: pure ops without regions, unless they only repeat or
/// name what is there. Says whether there was any.
bool hoistInvariants(mlir::RewriterBase &rewriter, mlir::Operation *loop);

/// True if running the op may end the entry with an error status: it is or contains a bounded while, an external call, an
/// assertion or a check.
bool mayFail(mlir::Operation *op);

/// A stack of slices along a dimension, and back.
mlir::RankedTensorType sliceOf(mlir::RankedTensorType stack, int64_t dim);
mlir::RankedTensorType stackOf(mlir::RankedTensorType slice, int64_t dim, const Dim &steps);

} // namespace lathe

#endif
