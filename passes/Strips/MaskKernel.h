// The mask of attention's scores, and the kernel that finds the last key that each row sees.
#ifndef LATHE_PASSES_STRIPS_MASKKERNEL_H
#define LATHE_PASSES_STRIPS_MASKKERNEL_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe {

/// The predicate of the select that hides keys, with the ops that compute it in its kernel.
class MaskKernel {
public:
  /// Finds the ops. `mayRead` says which arguments of the kernel another kernel may read as well. Returns false if the mask is
  /// the same for all keys, or if an argument may not be read.
  bool set(SelectOp scores, bool hidesFalse, llvm::function_ref<bool(mlir::BlockArgument)> mayRead);
  /// Returns the mask without repetitions. Its last dimension is that of the keys.
  mlir::Value getMask() const { return mask; }
  /// Returns what the kernel reads.
  llvm::SmallVector<mlir::Value> getInputs() const;
  /// Emits a kernel for the number of keys up to the last one that is not hidden, an i32 for each other index of the mask.
  mlir::Value emitLast(mlir::OpBuilder &builder) const;

private:
  bool addOps(mlir::Value value, llvm::function_ref<bool(mlir::BlockArgument)> mayRead);

  SelectOp scores;
  bool hidesFalse = true;
  mlir::Value mask;
  llvm::SmallVector<mlir::Operation *> ops; // operands first
  llvm::SmallVector<mlir::BlockArgument> arguments;
};

/// The least number of keys that is worth a test.
inline constexpr int64_t kLeastKeys = 256;
/// True if an operand of a product is in memory, perhaps in halves, as matrices behind the product's batch. The contracted
/// dimension is the last one, or the `contracted`-th from the end.
bool isMatrixInMemory(DotGeneralOp dot, unsigned operand, int64_t contracted);

/// Starts a kernel of these inputs, and moves the builder into it.
mlir::Block *startKernel(mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange inputs, mlir::Type result);
/// Emits a number as a value of these dimensions.
mlir::Value emitNumber(mlir::OpBuilder &builder, mlir::Location location, llvm::ArrayRef<Dim> dims, mlir::TypedAttr number);
/// Emits the largest index plus 1 along `dim` at which a truth value is `wanted`, over the dimensions `over`; 0 if there is
/// none.
mlir::Value emitLastIndex(mlir::OpBuilder &builder, mlir::Location location, mlir::Value truths, bool wanted, int64_t dim,
                          llvm::ArrayRef<int64_t> over);
/// Returns the type of counts with these dimensions.
mlir::RankedTensorType countsOf(mlir::OpBuilder &builder, llvm::ArrayRef<Dim> dims);
/// Lets a kernel stop at this number of keys.
void setSkips(KernelOp kernel, llvm::StringRef role, mlir::Value count);

} // namespace lathe

#endif
