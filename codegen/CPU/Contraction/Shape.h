// A dot_general as a batch of matrix products.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_SHAPE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_SHAPE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::cpu {

/// Matrix products [rows, depth] x [depth, columns], one for each index of `outer`. Strides count elements and may contain
/// named dimensions.
struct ContractionShape {
  /// A dimension of the result, with its strides in the operands.
  struct Outer {
    unsigned resultDim;
    Dim extent, lhsStride, rhsStride;
  };
  llvm::SmallVector<Outer> outer;
  /// Adjacent dimensions of the result whose row-major index is the row.
  unsigned firstRowDim = 0;
  Dims rowDims;
  Dim rows = Dim(1), rowStride; // of lhs
  Dim depth = Dim(1), lhsDepthStride, rhsDepthStride;
  Dim depthRow; // the last contracted dimension: the terms in a row of the sum (SumOrder)
  Dim columns;  // the result's last dimension; contiguous in rhs

  /// Returns nullopt if several contracted dimensions are not one in memory, if the last dimension of rhs is not free, or if
  /// there are no columns.
  static std::optional<ContractionShape> of(DotGeneralOp op);
};

} // namespace lathe::cpu

#endif
