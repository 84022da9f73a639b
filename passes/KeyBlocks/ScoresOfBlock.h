// The scores of a block of keys.
#ifndef LATHE_PASSES_KEYBLOCKS_SCORESOFBLOCK_H
#define LATHE_PASSES_KEYBLOCKS_SCORESOFBLOCK_H

#include "passes/KeyBlocks/BlockOps.h"

namespace lathe {

/// The ops that compute scores from values outside: elementwise ops, broadcasts, indices and products, back to other ops.
class ScoresOfBlock {
public:
  /// A value from outside, and its dimension of keys; -1 if all blocks read the whole value.
  struct Input {
    mlir::Value value;
    int64_t keysDim;
  };

  /// `keysDim` is the dimension of the keys among those of the scores.
  ScoresOfBlock(mlir::Value scores, int64_t keysDim);

  /// True if there is a product among the ops, and each value has its keys along one dimension.
  bool isProduct() const { return hasProduct && isConsistent; }
  /// Returns the inputs, in the order of `emit`.
  llvm::ArrayRef<Input> getInputs() const { return inputs; }
  /// Emits the scores of `count` keys, the first of which has the index `first`, an i32. `parts` are those of the inputs.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::ValueRange parts, mlir::Value first, int64_t count) const;

private:
  void collect(mlir::Value value, const LoopDims &dims);
  void addInput(mlir::Value value, const LoopDims &dims);

  mlir::Value scores;
  llvm::SmallVector<Input> inputs;
  llvm::SmallVector<mlir::Operation *> ops;       // operands first
  llvm::DenseMap<mlir::Value, LoopDims> loopDims; // of each op's result and of each input; the only loop is 0
  bool hasProduct = false, isConsistent = true;
};

} // namespace lathe

#endif
