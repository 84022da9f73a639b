// What plan and its verifier ask of a function of kernels.
#ifndef LATHE_PASSES_PLAN_LIVENESS_H
#define LATHE_PASSES_PLAN_LIVENESS_H

#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// The order of all ops of a function as they are run, those of regions included: a branch or loop begins before what is in it
/// and ends after it.
class Positions {
public:
  /// Numbers anew.
  void number(mlir::Block &block);
  /// Numbers a kernel that has come in directly in front of an op, behind those that came in there before.
  void insert(mlir::Operation *kernel, mlir::Operation *next);
  /// The new kernel stands where the old one stood.
  void replace(mlir::Operation *old, mlir::Operation *by);
  uint64_t begin(mlir::Operation *op) const { return at(op, begins); }
  uint64_t end(mlir::Operation *op) const { return at(op, ends); }
  /// The end of the last op that reads the value's memory; where it is made if none does.
  uint64_t lastUse(mlir::Value value) const;

private:
  void numberBlock(mlir::Block &block);
  uint64_t at(mlir::Operation *op, const llvm::DenseMap<mlir::Operation *, uint64_t> &numbers) const;

  static constexpr uint64_t kGap = uint64_t(1) << 24;       // positions from one number to the next, for what comes in between
  llvm::DenseMap<mlir::Operation *, uint64_t> begins, ends; // numbers of what was there
  llvm::DenseMap<mlir::Operation *, uint64_t> between, latest; // positions of what came in, and the last one in front of an op
  uint64_t count = 0;
};

/// True if the kernel reads this input only at the index of this result that it is about to write, so that both may share
/// memory: all ops between the input and the results are elementwise, of the result's shape. A loop over rows may also reduce
/// what it reads of the row, if the result is written in its last pass.
bool readsInPlace(KernelOp kernel, unsigned input, unsigned result);

} // namespace lathe

#endif
