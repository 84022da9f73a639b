// An operand of a product as a tensor that TMA copies by boxes.
#ifndef LATHE_CODEGEN_GPU_HOPPER_MATRIX_H
#define LATHE_CODEGEN_GPU_HOPPER_MATRIX_H

#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Form.h"
#include "codegen/GPU/Hopper/Residues.h"

namespace lathe::gpu {

/// Bytes of a contiguous run of elements, within which the 16-byte granules are swizzled.
inline constexpr unsigned kRunBytes = 128;
/// Bytes of a run that one wgmma takes, whatever its elements are.
inline constexpr unsigned kStepBytes = 32, kSteps = kRunBytes / kStepBytes;

struct Matrix {
  /// The loop that moves a box along a dimension of the map: a span of the operand's own loops (rows, or columns of rhs), a
  /// span of the depth, or the loop `number` of a batch.
  enum Role { Own, Depth, Batch };
  struct Term {
    Role role;
    unsigned number = 0;
    int64_t step = 1;
  };
  struct Axis {
    llvm::SmallVector<Term, 2> terms;
    int64_t first = 0; // coordinate of the box if all terms are 0
    Dim extent;
  };

  TensorMap map;                // without boxes, which Side::map sets
  llvm::SmallVector<Axis> axes; // one per dimension of the map
  bool hasDepthInside() const { return axes.front().terms.front().role == Depth; }
  /// True if the tensor ends with this span of the depth, so that copies past the end bring zeros.
  bool endsWith(const KernelLoops &loops, llvm::ArrayRef<Span> depths, unsigned number) const;

  /// Describes an operand that is read from memory at affine indices. Its `own` loops, the depth and each batch loop are one
  /// dimension each, with known strides that TMA supports. Returns nullopt for any other operand.
  static std::optional<Matrix> of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                  const ProductOperand &operand, llvm::ArrayRef<unsigned> own);
  /// Describes an operand by the tensor's own dimensions. Several loops may move a box along a dimension, and in steps: the
  /// loops of results and of taps along an image's rows. Elements out of range are zero, which TMA provides; guards must
  /// exclude nothing else. Returns nullopt for any other operand.
  static std::optional<Matrix> ofImage(KernelOp kernel, const ResidueLoops &image, const Product &product,
                                       const ProductOperand &operand, llvm::ArrayRef<unsigned> batch, llvm::ArrayRef<Span> own,
                                       llvm::ArrayRef<Span> depths);
};

} // namespace lathe::gpu

#endif
