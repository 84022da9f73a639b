// Matrix products of a warp by mma.sync: how its lanes hold slices of the operands and of the sums.
//
// Layouts are those of the PTX ISA, "Matrix Fragments for mma.m16n8k8, .m16n8k16 and .m8n8k4": lane l has group l / 4 and
// inGroup l % 4 in it. Words of 32 bits, of which ldmatrix makes rows of eight halves, lie in it as halves do.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_FRAGMENTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_FRAGMENTS_H

#include "codegen/GPU/Contraction/SliceLayout.h"

namespace lathe::gpu {

class Fragments {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// For operands of f16, bf16, f32 (as three products of tf32, or one if `isFast`) or f64, summed in f32 or f64.
  Fragments(ThreadFrame &frame, mlir::Type element, bool isFast);

  unsigned rows, columns, depth; // of one product
  unsigned sums;                 // accumulators of a lane
  unsigned lhsWords, rhsWords;   // registers of a lane for an operand of one product, as they are in memory

  Values zeros();
  /// An operand's part of a warp: a slice in shared memory, and where in it the warp's rows or columns begin (i32).
  struct Part {
    const SliceLayout &layout;
    mlir::Value slice, first;
  };
  /// The words of so many rows of lhs, or columns of rhs, at a inGroup of the slice's depth, product by product.
  Values loadLhs(const Part &part, unsigned count, unsigned depth);
  Values loadRhs(const Part &part, unsigned count, unsigned depth);
  /// Words as they are multiplied, all of an operand of one product.
  Values ready(mlir::ArrayRef<mlir::Value> words);
  Values multiply(mlir::ArrayRef<mlir::Value> lhs, mlir::ArrayRef<mlir::Value> rhs, mlir::ArrayRef<mlir::Value> sums);
  /// Where the lane's accumulators belong: neighbours by two, from this row and column on (i64), and of all but f64 two more
  /// eight rows below.
  std::pair<mlir::Value, mlir::Value> placeOfResults();

private:
  /// Whether operands come in two parts.
  bool isSplit() const { return element.isF32() && !isFast; }
  /// Whether the slice is read by ldmatrix.
  bool hasMatrices(const SliceLayout &layout) const { return !element.isF64() && (isHalf(element) || layout.hasDepthInside); }
  mlir::Value loadWord(const Part &part, unsigned own, unsigned depth);
  Values loadMatrices(const Part &part, unsigned own, unsigned depth, bool isDepthFirst);
  Values multiplyOnce(mlir::ValueRange lhs, mlir::ValueRange rhs, mlir::ValueRange sums);

  ThreadFrame &frame;
  mlir::OpBuilder &b;
  mlir::Type element;
  bool isFast;
  mlir::Value lane, group, inGroup; // i32
};

} // namespace lathe::gpu

#endif
