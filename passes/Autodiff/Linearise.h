// A piece of program that computes primals and tangents, split into a known part and a part that is linear in the tangents.
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

/// Splits `both`. knownArguments[i] is what an argument is where the known part goes, null for one that is unknown. Yields with
/// isLinear[i] become those of `linear`; the others must not depend on an unknown argument. The known part is emitted by `e`,
/// and its yields returned.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> linearise(const Rules &rules, const Piece &both, Values knownArguments,
                                                          llvm::ArrayRef<bool> isLinear, Emit &e, LinearPart &linear);

/// The same for one op: the known part in place, and a linear part that gives the results which depend on an unknown operand.
/// Says by place which these are.
mlir::FailureOr<llvm::SmallVector<bool>> linearise(const Rules &rules, mlir::Operation *op, Values knownOperands, Emit &e,
                                                   LinearPart &linear);

} // namespace lathe::autodiff

#endif
