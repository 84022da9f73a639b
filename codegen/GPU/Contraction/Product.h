// A sum of products as matrix products: dot_general, convolutions and their derivatives alike are nests that multiply two
// inputs.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_PRODUCT_H
#define LATHE_CODEGEN_GPU_CONTRACTION_PRODUCT_H

#include "codegen/Points/LeafAccesses.h"

namespace lathe::gpu {

/// One of the two matrices. A convolution's image is one whose elements are found by the nest's access (an implicit GEMM).
struct ProductOperand {
  unsigned input = 0; // of the nest
  /// What it is read from: the nest's input, or the halves that this widens.
  mlir::Value tensor;
  /// Whether what its access guards counts as zero here; else it is guarded in the other one, and there the product is zero.
  bool isGuarded = true;
  /// Whether neighbours in memory lie along the sum rather than along the matrix' other dimension.
  bool isContiguousAlongDepth = false;
  /// How many neighbours one copy to shared memory brings as they are, guards included; 0 where elements are computed or
  /// converted on the way.
  unsigned copied = 0;
};

/// A loop of rows and one of taps whose sum is a multiple of `step` wherever there is a product. With the residue within a step
/// as a loop of its own, and each of both in steps, the kernel's loops are at
///   row = step * row' + sign * residue + first, which is no row below 0 and from `extent` on, and
///   tap = step * tap' + residue, which is none from `taps` on.
struct Residue {
  unsigned dim, residue; // of row'; of the residue, behind those of the kernel
  int64_t step, sign, first;
  Dim extent;
  unsigned tap; // of tap'
  int64_t taps;
};

/// [batch][rows, depth] x [depth, columns]. Each is the row-major index of some of the loops' dimensions.
struct Product {
  NestOp nest;
  llvm::SmallVector<unsigned> batch, rows, columns, depth;
  ProductOperand lhs, rhs;
  mlir::Type element;    // of both operands as they are multiplied: f16, bf16, f32 or f64
  mlir::Type sum;        // f32 or f64
  bool hasZeros = false; // what lies beyond the depth's end may be multiplied, by zero

  llvm::SmallVector<Residue> residues; // of loops that go by steps

  /// Whether tensor cores give infinities and NaN as they are: they see parts of f32, of which one may be infinite and the
  /// other zero, and multiply by zero what a guard leaves out.
  bool isExact() const { return !element.isF32() && lhs.isGuarded && rhs.isGuarded && !hasZeros; }

  /// Nullopt where the reduction is none, or one of its matrices is a vector.
  static std::optional<Product> of(KernelOp kernel, const KernelLoops &loops);
};

/// The product of some dimensions' extents.
Dim extentOf(const KernelLoops &loops, llvm::ArrayRef<unsigned> dims);

} // namespace lathe::gpu

#endif
