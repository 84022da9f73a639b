// Reductions as matrix products. dot_general, convolutions and their derivatives are all nests that multiply two inputs.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_PRODUCT_H
#define LATHE_CODEGEN_GPU_CONTRACTION_PRODUCT_H

#include "codegen/Points/LeafAccesses.h"

namespace lathe::gpu {

/// One of the two matrices. The nest's access maps its elements to a tensor, so that a convolution is an implicit GEMM.
struct ProductOperand {
  unsigned input = 0; // number of the nest's input
  /// The tensor that is read: the nest's input, or the f16 or bf16 tensor that this widens.
  mlir::Value tensor;
  /// True if elements outside the access's guard are zero. Otherwise the other operand has the guard, and the product is zero
  /// there.
  bool isGuarded = true;
  /// True if elements are contiguous along the depth, not along the matrix's other dimension.
  bool isContiguousAlongDepth = false;
  /// The contiguous elements of one asynchronous copy to shared memory, which respects guards; 0 if elements are computed or
  /// converted on the way.
  unsigned copied = 0;
};

/// A loop of rows and a loop of taps whose sum is a multiple of `step` wherever there is a product, as for the gradient of a
/// strided convolution. Both are divided by the step, and their residue modulo the step is a loop of its own. The kernel's
/// loops are
///   row = step * row' + sign * residue + first, which is out of range below 0 and from `extent` on, and
///   tap = step * tap' + residue, which is out of range from `taps` on.
struct Residue {
  unsigned dim, residue; // loops: of row'; of the residue, after those of the kernel
  int64_t step, sign, first;
  Dim extent;
  unsigned tap; // loop of tap'
  int64_t taps;
};

/// The matrix product [batch][rows, depth] x [depth, columns]. Each of the four indices is the row-major index of some of the
/// loops.
struct Product {
  NestOp nest;
  llvm::SmallVector<unsigned> batch, rows, columns, depth;
  ProductOperand lhs, rhs;
  mlir::Type element;    // type in which both operands are multiplied: f16, bf16, f32 or f64
  mlir::Type sum;        // type of sums: f32 or f64
  bool hasZeros = false; // elements past the depth's end may be multiplied, by zero

  llvm::SmallVector<Residue> residues; // of strided loops

  /// True if tensor cores compute infinities and NaN correctly. They do not for parts of f32, of which one may be infinite and
  /// the other zero, or if elements outside a guard are multiplied by zero.
  bool isExact() const { return !element.isF32() && lhs.isGuarded && rhs.isGuarded && !hasZeros; }

  /// Returns nullopt if there is no such reduction, or if an operand is a vector.
  static std::optional<Product> of(KernelOp kernel, const KernelLoops &loops);
};

/// Returns the product of some loops' extents.
Dim extentOf(const KernelLoops &loops, llvm::ArrayRef<unsigned> dims);

} // namespace lathe::gpu

#endif
