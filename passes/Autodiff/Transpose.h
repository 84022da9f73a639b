// The linear part run backwards.
#ifndef LATHE_AUTODIFF_TRANSPOSE_H
#define LATHE_AUTODIFF_TRANSPOSE_H

#include "passes/Autodiff/Linearise.h"

namespace lathe::autodiff {

/// Emits the cotangents of a piece's moving arguments, those with arguments[i] null, for those of its yields; in both, null is
/// zero. The other arguments are known values where the cotangents go. Cotangents that meet add up in reversed program order,
/// whatever runs the result.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> transpose(const Rules &rules, Emit &e, const Piece &linear, Values arguments,
                                                          Values cotangents);
/// Transposes a linear part. Its unknown arguments move.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> transpose(const Rules &rules, Emit &e, LinearPart &linear, Values residuals,
                                                          Values cotangents);

/// A control op run backwards, as a rule's `transposes` does it: cotangents of the operands with arguments[i] null, from those
/// of the results.
mlir::LogicalResult transposeControl(const Rules &rules, Emit &e, mlir::Operation *op, Values arguments, Values cotangents,
                                     llvm::MutableArrayRef<mlir::Value> out);

} // namespace lathe::autodiff

#endif
