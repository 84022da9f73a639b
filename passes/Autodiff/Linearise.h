// A body that computes primals and tangents, split into a known part and a part that is linear in the tangents.
#ifndef LATHE_AUTODIFF_LINEARISE_H
#define LATHE_AUTODIFF_LINEARISE_H

#include "passes/Autodiff/Rules.h"

namespace lathe::autodiff {

/// The linear part: arguments are one slot for each residual, then the unknown arguments. It also holds the ops that depend on
/// residuals alone and that no primal result needs (slopes, mostly), so that only what the primal computes anyway is kept for
/// it.
struct LinearPart {
  Body body;
  llvm::SmallVector<mlir::Value> residuals; // values of the known part
  unsigned numUnknown = 0;

  llvm::MutableArrayRef<mlir::BlockArgument> unknown() { return body.block.getArguments().take_back(numUnknown); }
};

/// Splits `both`, whose arguments from `knownArguments.size()` on are unknown, and whose first `numKnown` yields must not
/// depend on them. The known part is emitted by the builder, for the given arguments, and its yields returned; the other yields
/// are those of `linear`.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> linearise(const Rules &rules, Body &both, mlir::ValueRange knownArguments,
                                                          unsigned numKnown, mlir::OpBuilder &builder, LinearPart &linear);

} // namespace lathe::autodiff

#endif
