// The linear part run backwards.
#ifndef LATHE_AUTODIFF_TRANSPOSE_H
#define LATHE_AUTODIFF_TRANSPOSE_H

#include "passes/Autodiff/Linearise.h"

namespace lathe::autodiff {

/// Cotangents of the unknown arguments for those of the yields; null is zero in both. `residuals` are the values for the slots.
/// Cotangents that meet add up in reversed program order, whatever runs the result.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> transpose(const Rules &rules, Emit &e, LinearPart &linear, Values residuals,
                                                          Values cotangents);

} // namespace lathe::autodiff

#endif
