// Booleans that sizes decide when an entry is called: comparisons, logic and choices as sizes.
#ifndef LATHE_IMPORT_ONNX_TRUTHS_H
#define LATHE_IMPORT_ONNX_TRUTHS_H

#include "lib/Import/ONNX/Known.h"

namespace lathe::onnximport {

inline Scalar truth(bool value) { return Scalar::of(Dim(value)); }
/// True if the name of a comparison in ONNX.
bool isComparison(llvm::StringRef op);
/// Compares two elements of type `element`.
std::optional<Scalar> compareScalars(llvm::StringRef op, const Scalar &lhs, const Scalar &rhs, mlir::Type element);
/// Evaluates And, Or and Xor.
std::optional<Scalar> evaluateLogic(llvm::StringRef op, const Scalar &lhs, const Scalar &rhs);
std::optional<Scalar> negated(const Scalar &operand);
/// Returns the boolean that is true where a size is not 0.
std::optional<Scalar> isNotZero(const Dim &dim);
/// Returns "yes" where a boolean holds and "no" elsewhere, of element type `element`.
std::optional<Scalar> evaluateChoice(const Scalar &condition, const Scalar &yes, const Scalar &no, mlir::Type element);

} // namespace lathe::onnximport

#endif
