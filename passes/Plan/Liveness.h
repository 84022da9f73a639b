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
  unsigned begin(mlir::Operation *op) const { return begins.lookup(op); }
  unsigned end(mlir::Operation *op) const { return ends.lookup(op); }
  /// The end of the last op that reads the value's memory; where it is made if none does.
  unsigned lastUse(mlir::Value value) const;

private:
  void numberBlock(mlir::Block &block);

  llvm::DenseMap<mlir::Operation *, unsigned> begins, ends;
  unsigned count = 0;
};

/// Whether the kernel reads this input only at the place of this result that it is about to write, so that both may share
/// memory: all ops between the input and the results are elementwise, of the result's shape. A loop over rows may also reduce
/// what it reads of the row, if the result is written in its last pass.
bool readsInPlace(KernelOp kernel, unsigned input, unsigned result);

} // namespace lathe

#endif
