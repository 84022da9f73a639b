// Arithmetic on floats that stand for quotients of sizes, as frameworks scale them. They are computed exactly.
#ifndef LATHE_IMPORT_ONNX_QUOTIENTS_H
#define LATHE_IMPORT_ONNX_QUOTIENTS_H

#include "lib/Import/ONNX/Known.h"

namespace lathe::onnximport {

/// Returns dim / divisor without its fraction, as integers are divided, for a positive divisor.
Dim towardsZero(const Dim &dim, const Dim &divisor);

/// Returns numerator and denominator of the simplest fraction that rounds to a float, or nullopt if these are large. Frameworks
/// multiply sizes by scales such as 0.7 in f32, where rounding mostly gives the exact result of the fraction.
std::optional<std::pair<int64_t, int64_t>> fractionOf(double value, bool isSingle);

/// Returns a float without `real`: a number becomes the simplest fraction that rounds to it. Returns nullopt for other numbers,
/// and for roots.
std::optional<Scalar> asQuotient(const Scalar &scalar, mlir::Type element);
/// Returns both elements with one divisor.
std::optional<std::pair<Scalar, Scalar>> withOneDivisor(const Scalar &lhs, const Scalar &rhs, mlir::Type element);

std::optional<Scalar> evaluateQuotients(llvm::StringRef op, const Scalar &lhs, const Scalar &rhs, mlir::Type element);
/// Evaluates an operation on a quotient or a root.
std::optional<Scalar> evaluateQuotient(llvm::StringRef op, const Scalar &operand);

} // namespace lathe::onnximport

#endif
