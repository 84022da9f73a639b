// Ops on a block of their operands. Loops over blocks divide some dimensions of a value.
#ifndef LATHE_PASSES_KEYBLOCKS_BLOCKOPS_H
#define LATHE_PASSES_KEYBLOCKS_BLOCKOPS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace lathe {

/// For each dimension of a value the number of the loop that divides it, or kUndivided.
using LoopDims = llvm::SmallVector<int64_t, 4>;
inline constexpr int64_t kUndivided = -1;

/// The block that a step computes.
struct BlockPlace {
  llvm::SmallVector<int64_t> counts;     // for each loop the indices of a block
  llvm::SmallVector<mlir::Value> firsts; // for each loop the first index of the block, an i32
};

/// Returns the free dimensions of a product's operand, which are neither contracted nor batched.
llvm::SmallVector<int64_t> freeDimsOf(mlir::Value operand, llvm::ArrayRef<int64_t> contract, llvm::ArrayRef<int64_t> batch);

/// Returns which loops divide the operands of an op if they divide its result like this. Returns nullopt if the op cannot
/// compute a block of its result from blocks of its operands.
std::optional<llvm::SmallVector<LoopDims>> loopDimsOfOperands(mlir::Operation *op, llvm::ArrayRef<int64_t> ofResult);

/// Returns the dimensions of a value's block.
Dims blockDims(mlir::Value value, llvm::ArrayRef<int64_t> loops, llvm::ArrayRef<int64_t> counts);

/// Emits an op for a block of its result. `map` has the blocks of its operands.
mlir::Value emitInBlock(mlir::OpBuilder &builder, mlir::Operation *op, llvm::ArrayRef<int64_t> ofResult,
                        const BlockPlace &place, const mlir::IRMapping &map);

/// Returns the part of a value from `start` to `end` along a dimension.
mlir::Value sliceAlong(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, int64_t dim, int64_t start,
                       int64_t end);
/// Returns the full blocks of `count` indices along a dimension, as a new first dimension. What fills no block is left out.
mlir::Value stackBlocks(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, int64_t dim, int64_t count);
/// Returns the value whose blocks along a dimension stackBlocks has stacked.
mlir::Value unstackBlocks(mlir::OpBuilder &builder, mlir::Location location, mlir::Value stack, int64_t dim);
/// Returns the first index of each of `steps` blocks.
mlir::Value firstIndices(mlir::OpBuilder &builder, mlir::Location location, int64_t steps, int64_t count);

/// Returns the ops that come before `point` in its block and depend on one of the values, in order. Regions must be closed.
llvm::SmallVector<mlir::Operation *> dependentsBefore(llvm::ArrayRef<mlir::Value> values, mlir::Operation *point);
/// Moves ops to after `point`, in their order.
void moveAfter(llvm::ArrayRef<mlir::Operation *> ops, mlir::Operation *point);

} // namespace lathe

#endif
