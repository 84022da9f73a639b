// The sizes and operands of a product of bytes.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_SHAPE_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_SHAPE_H

#include "codegen/CPU/Contraction/Shape.h"
#include "codegen/CPU/Convolution/Shape.h"
#include "lib/Analysis/Bytes.h"

namespace lathe::cpu {

/// Products [rows, depth] x [depth, columns]. A row of a matrix product is contiguous in memory. A row of a convolution is an
/// output position, and consists of the inputs of all taps.
struct ByteProductShape {
  mlir::Value result;
  CentredBytes lhs;
  mlir::Value rhs; // i8 in memory

  llvm::SmallVector<ContractionShape::Outer> outer;
  unsigned firstRowDim = 0; // of the result
  Dims rowDims;
  Dim rows = Dim(1);
  int64_t depth = 0, columns = 0;
  Dim rowStride;                         // of lhs, in a matrix product
  std::optional<ConvolutionShape> image; // of a convolution

  /// Returns nullopt if the op, which is in a kernel, is not a product of bytes in memory.
  static std::optional<ByteProductShape> of(mlir::Operation *op);

  int64_t panels() const;
  /// Returns the rows of all outer products.
  Dim allRows() const;
};

} // namespace lathe::cpu

#endif
