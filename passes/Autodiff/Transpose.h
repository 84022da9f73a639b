// Runs the linear part backwards.
#ifndef LATHE_AUTODIFF_TRANSPOSE_H
#define LATHE_AUTODIFF_TRANSPOSE_H

#include "passes/Autodiff/Linearise.h"

namespace lathe::autodiff {

/// Emits the cotangents of a piece's moving arguments, those with arguments[i] null, from those of its yields; null cotangents
/// are zero. The other arguments are known values at the insertion point. Several cotangents of one value are added in reversed
/// program order.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> transpose(const Rules &rules, Emit &e, const Piece &linear, Values arguments,
                                                          Values cotangents);
/// Transposes a linear part. Its unknown arguments move.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> transpose(const Rules &rules, Emit &e, LinearPart &linear, Values residuals,
                                                          Values cotangents);

/// Transposes a control op, as a rule's `transposes` does: computes the cotangents of the operands with arguments[i] null from
/// those of the results.
mlir::LogicalResult transposeControl(const Rules &rules, Emit &e, mlir::Operation *op, Values arguments, Values cotangents,
                                     llvm::MutableArrayRef<mlir::Value> out);

} // namespace lathe::autodiff

#endif
