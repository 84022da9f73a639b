// Loops of strided products, such as the gradient of a strided convolution, split by residues modulo the stride.
#ifndef LATHE_CODEGEN_GPU_HOPPER_RESIDUES_H
#define LATHE_CODEGEN_GPU_HOPPER_RESIDUES_H

#include "codegen/GPU/Contraction/Product.h"

namespace lathe::gpu {

/// The loops and accesses of a product. They are the kernel's, unless a guard requires the sum of a row and a tap to be a
/// multiple of a step. Both loops are then divided by the step, and a loop after all others has their residue modulo the step.
/// The product has no points that such a guard excludes.
struct ResidueLoops {
  KernelLoops loops;
  llvm::SmallVector<Residue> residues;
  llvm::SmallVector<mlir::AffineMap> maps; // of both inputs
  llvm::SmallVector<mlir::IntegerSet> guards;

  /// True if a loop has one step, and no residue.
  bool isUnit(unsigned dim) const {
    return loops.extents[dim].isStatic(1) &&
           llvm::none_of(residues, [&](const Residue &residue) { return residue.tap == dim; });
  }

  /// Splits the loops of a product where its guards require that.
  static ResidueLoops of(const KernelLoops &loops, const Product &product);
};

} // namespace lathe::gpu

#endif
