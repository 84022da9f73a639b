// A product's operand as a tensor map: what copies of boxes need to know of where its elements lie.
#ifndef LATHE_CODEGEN_GPU_HOPPER_MATRIX_H
#define LATHE_CODEGEN_GPU_HOPPER_MATRIX_H

#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Form.h"
#include "codegen/GPU/Hopper/Residues.h"

namespace lathe::gpu {

/// A run of elements, within which the 16-byte parts are swizzled.
inline constexpr unsigned kRunBytes = 128;
/// Of a run one product of a warp group takes this, whatever its elements are.
inline constexpr unsigned kStepBytes = 32, kSteps = kRunBytes / kStepBytes;

struct Matrix {
  /// What moves a box along a dimension of the map: a span of the operand's own dimensions (rows; of rhs columns), one of the
  /// depth, or the loop `number` of a batch.
  enum Role { Own, Depth, Batch };
  struct Term {
    Role role;
    unsigned number = 0;
    int64_t step = 1;
  };
  struct Axis {
    llvm::SmallVector<Term, 2> terms;
    int64_t first = 0; // where the box is when all of these are 0
    Dim extent;
  };

  TensorMap map;                // its boxes are still to be said
  llvm::SmallVector<Axis> axes; // of the map's dimensions
  bool hasDepthInside() const { return axes.front().terms.front().role == Depth; }
  /// Whether it has nothing behind the end of this span of the depth, so that copies beyond bring zeros.
  bool endsWith(const KernelLoops &loops, llvm::ArrayRef<Span> depths, unsigned number) const;

  /// Of elements that the kernel has in memory, at places that are affine in its `own` loops, the depth and batches, which are
  /// one dimension each and have known distances that copies can go by; nullopt for any other operand.
  static std::optional<Matrix> of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                  const ProductOperand &operand, llvm::ArrayRef<unsigned> own);
  /// The tensor's own dimensions, along which boxes may go by steps and several loops, as an image's rows by those of results
  /// and of taps. What lies outside is zero, as it is to a copy: guards may ask for nothing else.
  static std::optional<Matrix> ofImage(KernelOp kernel, const ResidueLoops &image, const Product &product,
                                       const ProductOperand &operand, llvm::ArrayRef<unsigned> batch, llvm::ArrayRef<Span> own,
                                       llvm::ArrayRef<Span> depths);
};

} // namespace lathe::gpu

#endif
