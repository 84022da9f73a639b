// A dot_general as a batch of matrix products.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_SHAPE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_SHAPE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::cpu {

/// Matrix products [rows, depth] x [depth, columns], one for each index of `outer`. Strides count elements and may name
/// dimensions.
struct ContractionShape {
  /// A dimension of the result, and how far one step along it moves in the operands.
  struct Outer {
    unsigned resultDim;
    Dim extent, lhsStride, rhsStride;
  };
  llvm::SmallVector<Outer> outer;
  /// Neighbouring dimensions of the result, of which the rows are the row-major index.
  unsigned firstRowDim = 0;
  Dims rowDims;
  Dim rows = Dim(1), rowStride; // of lhs
  Dim depth = Dim(1), lhsDepthStride, rhsDepthStride;
  Dim depthRow; // of the depth, the last contracted dimension: a row of the sum
  Dim columns;  // the result's last dimension; neighbours in rhs

  /// Nullopt where several contracted dimensions are not one in memory, or rhs has no free dimension at its end, or no
  /// columns.
  static std::optional<ContractionShape> of(DotGeneralOp op);
};

} // namespace lathe::cpu

#endif
