// The points of a matrix product, and the epilogue of each sum.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_PRODUCTPOINTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_PRODUCTPOINTS_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// Loops that a tile treats as one, and the number of their consecutive points in a tile.
struct Span {
  llvm::SmallVector<unsigned> dims;
  unsigned box = 1;
};

class ProductPoints {
public:
  ProductPoints(ThreadFrame &frame, const KernelLoops &loops, const Product &product);

  llvm::SmallVector<Index> place; // indices of all loops, which with residues are not the kernel's

  /// Sets `place` to the `linear`-th element along these loops: the product's rows, columns, batch or depth.
  void set(llvm::ArrayRef<unsigned> dims, mlir::Value linear);
  /// Sets `place` to the element with row-major number `inBox` of a box of several spans, of one loop each. The box begins at
  /// `firsts`.
  void set(llvm::ArrayRef<Span> spans, llvm::ArrayRef<mlir::Value> firsts, mlir::Value inBox);
  /// Tests whether `place` is in range for the spans and all residues. Returns null if it always is.
  mlir::Value isInside(llvm::ArrayRef<Span> spans);
  /// Returns the indices of the kernel's own loops.
  llvm::SmallVector<Index> ofResults();
  /// Computes the epilogue and stores the results at `place`, where the product is `sum`. With several lanes of the evaluator,
  /// `sum` is a vector.
  void store(mlir::Value sum);

private:
  ThreadFrame &frame;
  const KernelLoops &loops;
  const Product &product;
};

} // namespace lathe::gpu

#endif
