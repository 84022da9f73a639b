// Loops of products between whose points others lie, as of an image that is spread by steps.
#ifndef LATHE_CODEGEN_GPU_HOPPER_PHASES_H
#define LATHE_CODEGEN_GPU_HOPPER_PHASES_H

#include "codegen/GPU/Contraction/Product.h"

namespace lathe::gpu {

/// A product's loops and accesses. They are the kernel's, but where a guard wants a result's place and a tap to be, together, a
/// multiple of a step: each such pair becomes the place and the tap in steps, and a loop behind all others for the phase that
/// both have within a step, by which places without a tap are none of the product.
struct PhasedLoops {
  KernelLoops loops;
  llvm::SmallVector<Phase> phases;
  llvm::SmallVector<mlir::AffineMap> maps; // of both inputs
  llvm::SmallVector<mlir::IntegerSet> guards;

  /// Whether nothing moves by a loop.
  bool isUnit(unsigned dim) const {
    return loops.extents[dim].isStatic(1) && llvm::none_of(phases, [&](const Phase &phase) { return phase.tap == dim; });
  }

  static PhasedLoops of(const KernelLoops &loops, const Product &product);
};

} // namespace lathe::gpu

#endif
