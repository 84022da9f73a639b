// A kernel that computes one slice of what another kernel computes as a whole.
#ifndef LATHE_PASSES_RECOMPUTE_KERNELSLICE_H
#define LATHE_PASSES_RECOMPUTE_KERNELSLICE_H

#include "dialects/Lathe/IR/Lathe.h"
#include <optional>

namespace lathe {

/// Computes a slice along the first dimension of a kernel's result, with the same bits: from slices of some inputs, and from
/// others as a whole.
class KernelSlice {
public:
  /// Builds the body for a result of a kernel.
  explicit KernelSlice(mlir::OpResult whole);
  KernelSlice(const KernelSlice &) = delete;
  ~KernelSlice() { delete body; }

  /// False if a slice depends on more than slices along the first dimension, or could have other bits.
  bool isPossible() const { return bool(result); }

  struct Input {
    mlir::Value value; // operand of the kernel
    bool isSliced;     // along its first dimension
  };
  llvm::ArrayRef<Input> inputs() const { return operands; }

  /// Returns the kernel, which is in no block. `values` are the inputs, or slices of them. It takes the body.
  KernelOp create(mlir::ValueRange values);

private:
  mlir::Value sliced(mlir::Value value);
  mlir::Value slicedOf(mlir::Operation *op);
  mlir::Value whole(mlir::Value value);
  mlir::Value slicedProduct(DotGeneralOp op);
  mlir::Value slicedBroadcast(BroadcastOp op);
  mlir::Value argument(mlir::BlockArgument argument, bool isSliced);

  KernelOp kernel;
  Dim steps;
  mlir::Block *body;
  mlir::OpBuilder builder;
  mlir::Value result;
  llvm::SmallVector<Input> operands;
  llvm::DenseMap<mlir::Value, mlir::Value> slices, wholes;
};

} // namespace lathe

#endif
