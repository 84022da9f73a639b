// Live ranges: the order in which a function's ops run, and the last op that reads a value's memory.
#ifndef LATHE_ANALYSIS_LIVENESS_H
#define LATHE_ANALYSIS_LIVENESS_H

#include "dialects/Lathe/IR/Control.h"

namespace lathe {

/// The order in which all ops of a function run, including those of regions: a branch or loop begins before its regions and
/// ends after them.
class Positions {
public:
  /// Renumbers all ops.
  void number(mlir::Block &block);
  /// Numbers a kernel that was inserted directly before an op, after kernels that were inserted there earlier.
  void insert(mlir::Operation *kernel, mlir::Operation *next);
  /// Gives the new kernel the position of the old one.
  void replace(mlir::Operation *old, mlir::Operation *by);
  uint64_t begin(mlir::Operation *op) const { return at(op, begins); }
  uint64_t end(mlir::Operation *op) const { return at(op, ends); }
  /// Returns the end of the last op that reads the value's memory, or the position of its definition.
  uint64_t lastUse(mlir::Value value) const;

private:
  void numberBlock(mlir::Block &block);
  uint64_t at(mlir::Operation *op, const llvm::DenseMap<mlir::Operation *, uint64_t> &numbers) const;

  static constexpr uint64_t kGap = uint64_t(1) << 24;          // distance of two numbers, for insertions
  llvm::DenseMap<mlir::Operation *, uint64_t> begins, ends;    // numbers of the original ops
  llvm::DenseMap<mlir::Operation *, uint64_t> between, latest; // positions of insertions, and the last one before an op
  uint64_t count = 0;
};

} // namespace lathe

#endif
