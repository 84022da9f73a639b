// A product's operand as a tensor map: what copies of boxes need to know of where its elements lie.
#ifndef LATHE_CODEGEN_GPU_HOPPER_MATRIX_H
#define LATHE_CODEGEN_GPU_HOPPER_MATRIX_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/KernelEmitter.h"

namespace lathe::gpu {

/// A run of elements, within which the 16-byte parts are swizzled.
inline constexpr unsigned kRunBytes = 128;
/// Of a run one product of a warp group takes this, whatever its elements are.
inline constexpr unsigned kStepBytes = 32, kSteps = kRunBytes / kStepBytes;

struct Matrix {
  /// What a dimension of the map counts: the operand's rows (of rhs its columns), the depth, or the loop `batch`.
  enum Role { Own, Depth, Batch };
  struct Axis {
    Role role;
    unsigned batch = 0;
  };

  TensorMap map;                // its boxes have one element along a batch, the others are still to be said
  llvm::SmallVector<Axis> axes; // of the map's dimensions
  bool hasDepthInside() const { return axes.front().role == Depth; }

  /// Of elements that the kernel has in memory, at places that are affine in its `own` loops, the depth and batches, with known
  /// distances that copies can go by; nullopt for any other operand.
  static std::optional<Matrix> of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                  const ProductOperand &operand, llvm::ArrayRef<unsigned> own);
};

} // namespace lathe::gpu

#endif
