// Products of 8-bit integers with 32-bit sums, whose kernels read the bytes from memory.
#ifndef LATHE_ANALYSIS_BYTES_H
#define LATHE_ANALYSIS_BYTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// 32-bit integers that are 8-bit integers in memory minus a zero point.
struct CentredBytes {
  mlir::Value bytes;        // the tensor of i8 or ui8
  mlir::Value zero;         // a tensor of i32 whose elements are all equal; null for 0
  bool hasByteZero = false; // the zero point is 0, or the type of `bytes` has it

  bool isUnsigned() const { return mlir::getElementTypeOrSelf(bytes.getType()).isUnsignedInteger(); }
};

/// Returns what a tensor of i32 is computed from, before or after ops became nests. Returns nullopt for any other tensor.
std::optional<CentredBytes> centredBytes(mlir::Value tensor);

/// The longest sum of products of bytes: the factors of a register tile's rows, and of its columns if they are not a constant,
/// are on the stack.
inline constexpr int64_t kMostByteDepth = 6144;

/// True if the op is a matrix product or a convolution of centred bytes by i8 that the form byte_product computes. The op may
/// be in a graph, where the bytes are any values, or in a kernel.
bool multipliesBytes(mlir::Operation *op);

/// True if `op` centres bytes for such an op, or widens bytes or a zero point for it. Its readers' kernels compute it again.
bool isForByteProducts(mlir::Operation *op);

} // namespace lathe

#endif
