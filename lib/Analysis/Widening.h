// Values that only widen others: products and convolutions read the narrow ones and widen in registers.
#ifndef LATHE_ANALYSIS_WIDENING_H
#define LATHE_ANALYSIS_WIDENING_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// True if the op sums products of its two operands: a matrix product, a convolution or one of its derivatives.
bool multiplies(mlir::Operation *op);

/// True if the op converts f16 or bf16 to f32, or integers to wider ones, which loses nothing. An i1 does not count: it is a
/// truth value.
bool widens(ConvertOp op);

/// Returns the tensor of halves or narrower integers that a nest's result only widens, element by element, or null. It is an
/// argument of the kernel, or another nest's result.
mlir::Value widenedTensor(mlir::Value tensor);

} // namespace lathe

#endif
