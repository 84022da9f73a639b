// The points of a product: what the kernel does with each sum, whichever instructions made it.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_PRODUCTPOINTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_PRODUCTPOINTS_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// Dimensions that a tile goes along as along one, and of how many of their points in order it has.
struct Span {
  llvm::SmallVector<unsigned> dims;
  unsigned box = 1;
};

class ProductPoints {
public:
  ProductPoints(ThreadFrame &frame, const KernelLoops &loops, const Product &product);

  llvm::SmallVector<Index> place; // of all loops, which with residues are not the kernel's

  /// Puts `place` at the element that is `linear`-th along these dimensions: the product's rows, columns, batch or depth.
  void set(llvm::ArrayRef<unsigned> dims, mlir::Value linear);
  /// Puts `place` at what a box of several spans, of a dimension each, has at this place in row-major order; `firsts`: where
  /// the box begins in each.
  void set(llvm::ArrayRef<Span> spans, llvm::ArrayRef<mlir::Value> firsts, mlir::Value inBox);
  /// Whether `place` is one of the spans' and of all residues'; null if it always is.
  mlir::Value isInside(llvm::ArrayRef<Span> spans);
  /// The place in the kernel's own loops.
  llvm::SmallVector<Index> ofResults();
  /// Finishes and stores the results at `place`, where the product is `sum`; a vector where the evaluator has several lanes.
  void store(mlir::Value sum);

private:
  ThreadFrame &frame;
  const KernelLoops &loops;
  const Product &product;
};

} // namespace lathe::gpu

#endif
