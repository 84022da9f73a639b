// The keys of attention that a mask hides from all rows of a strip.
#ifndef LATHE_PASSES_STRIPS_VISIBLEKEYS_H
#define LATHE_PASSES_STRIPS_VISIBLEKEYS_H

#include "passes/Strips/MaskKernel.h"
#include "passes/Strips/StripDims.h"

namespace lathe {

/// Finds whether the kernels of a strip may stop at the last key that one of its rows sees: the scores of hidden keys are -inf,
/// and what the kernels compute from them is a softmax times values. Hidden keys then change nothing, unless a value there is
/// not finite: a weight of zero times an infinity is not a number.
class VisibleKeys {
public:
  using PartOf = llvm::function_ref<const KernelInStrip &(KernelOp)>;
  /// `kernels` are those of a strip, in order.
  VisibleKeys(llvm::ArrayRef<KernelOp> kernels, PartOf partOf) : kernels(kernels), partOf(partOf) {}

  /// Returns false if hidden keys may change a result, or if the mask is not the same for all keys of an input.
  bool find();

  /// A value that bounds the keys of a strip, for all strips: an i32 with its dimensions in a strip.
  struct Bound {
    mlir::Value value;
    StripDims dims;
  };
  /// Emits kernels for the number of keys up to the last one that each row sees, and up to the last value that is not finite.
  llvm::SmallVector<Bound> emitBounds(mlir::OpBuilder &builder) const;
  /// Emits the kernel of a strip for the largest of its bounds.
  static mlir::Value emitCount(mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange bounds);
  /// Lets the kernel of a strip stop there.
  void limit(KernelOp whole, KernelOp inStrip, mlir::Value count) const;

private:
  bool isInside(mlir::Operation *op) const { return llvm::is_contained(kernels, op); }
  mlir::Value resolve(mlir::Value value) const;
  mlir::Value spread(mlir::Value value) const;
  bool isNumber(mlir::Value value, llvm::function_ref<bool(double)> is) const;
  bool isOverKeys(ReduceOp reduce, ReduceKind kind) const;
  bool isMaskedScores(mlir::Value value);
  bool isOffset(mlir::Value value);
  bool isExp(mlir::Value value);
  bool isTotal(mlir::Value value, mlir::Value exponentials) const;
  bool isWeights(mlir::Value value);
  bool hasOnlySuchReductions();
  llvm::StringRef roleOf(KernelOp kernel) const;
  bool setMask();
  Bound emitLastInfinite(mlir::OpBuilder &builder) const;

  llvm::ArrayRef<KernelOp> kernels;
  PartOf partOf;
  DotGeneralOp product;            // of the weights and the values
  SelectOp scores;                 // of the products, and -inf where a key is hidden
  bool hidesFalse = true;          // the mask is false where a key is hidden
  bool hasFiniteReciprocal = true; // the sum of the exponentials is at least 1, or not a number, or the row sees no key
  MaskKernel mask;
};

} // namespace lathe

#endif
