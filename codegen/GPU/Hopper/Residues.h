// Loops of products between whose points others lie, as of an image that is spread by steps.
#ifndef LATHE_CODEGEN_GPU_HOPPER_RESIDUES_H
#define LATHE_CODEGEN_GPU_HOPPER_RESIDUES_H

#include "codegen/GPU/Contraction/Product.h"

namespace lathe::gpu {

/// A product's loops and accesses. They are the kernel's, but where a guard wants a result's place and a tap to be, together, a
/// multiple of a step: each such pair becomes the place and the tap in steps, and a loop behind all others for the residue that
/// both have within a step, by which places without a tap are none of the product.
struct ResidueLoops {
  KernelLoops loops;
  llvm::SmallVector<Residue> residues;
  llvm::SmallVector<mlir::AffineMap> maps; // of both inputs
  llvm::SmallVector<mlir::IntegerSet> guards;

  /// Whether nothing moves by a loop.
  bool isUnit(unsigned dim) const {
    return loops.extents[dim].isStatic(1) &&
           llvm::none_of(residues, [&](const Residue &residue) { return residue.tap == dim; });
  }

  static ResidueLoops of(const KernelLoops &loops, const Product &product);
};

} // namespace lathe::gpu

#endif
