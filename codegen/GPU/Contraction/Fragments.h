// Matrix products of a warp by mma.sync: the fragments of operands and sums that its lanes hold.
//
// Layouts are those of the PTX ISA, "Matrix Fragments for mma.m16n8k8, .m16n8k16 and .m8n8k4": lane l is number l % 4 of group
// l / 4. ldmatrix also loads 32-bit words: it treats a row of four words as a row of eight 16-bit elements, with the same
// layout.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_FRAGMENTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_FRAGMENTS_H

#include "codegen/GPU/Contraction/SliceLayout.h"

namespace lathe::gpu {

class Fragments {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Operands are f16, bf16, f32 (as three TF32 products, or one if `isFast`) or f64. Sums are f32 or f64.
  Fragments(ThreadFrame &frame, mlir::Type element, bool isFast);

  unsigned rows, columns, depth; // of one product
  unsigned sums;                 // accumulators per lane
  unsigned lhsWords, rhsWords;   // registers per lane for an operand of one product, before `ready`

  Values zeros();
  /// A warp's part of an operand: a k-slice in shared memory, and the warp's first row or column in it (i32).
  struct Part {
    const SliceLayout &layout;
    mlir::Value slice, first;
  };
  /// Load the words of `count` rows of lhs, or columns of rhs, at this depth of the k-slice, product by product.
  Values loadLhs(const Part &part, unsigned count, unsigned depth);
  Values loadRhs(const Part &part, unsigned count, unsigned depth);
  /// Converts an operand's words of one product to those that are multiplied.
  Values ready(mlir::ArrayRef<mlir::Value> words);
  Values multiply(mlir::ArrayRef<mlir::Value> lhs, mlir::ArrayRef<mlir::Value> rhs, mlir::ArrayRef<mlir::Value> sums);
  /// Returns the row and column (i64) of the lane's first accumulator. The second one is next to it; except for f64, two more
  /// are eight rows below.
  std::pair<mlir::Value, mlir::Value> placeOfResults();

private:
  /// True if operands are split into two TF32 parts.
  bool isSplit() const { return element.isF32() && !isFast; }
  /// True if ldmatrix loads the k-slice.
  bool hasMatrices(const SliceLayout &layout) const { return !element.isF64() && (isHalf(element) || layout.hasDepthInside); }
  mlir::Value loadWord(const Part &part, unsigned own, unsigned depth);
  Values loadMatrices(const Part &part, unsigned own, unsigned depth, bool isDepthFirst);
  Values multiplyOnce(mlir::ValueRange lhs, mlir::ValueRange rhs, mlir::ValueRange sums);

  ThreadFrame &frame;
  mlir::OpBuilder &b;
  mlir::Type element;
  bool isFast;
  mlir::Value lane, group, inGroup; // i32; inGroup: the lane's number in its group
};

} // namespace lathe::gpu

#endif
