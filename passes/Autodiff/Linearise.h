// Splits a piece of program that computes primals and tangents into a known part and a part that is linear in the tangents.
#ifndef LATHE_AUTODIFF_LINEARISE_H
#define LATHE_AUTODIFF_LINEARISE_H

#include "passes/Autodiff/Rules.h"

namespace lathe::autodiff {

/// The linear part. Arguments are one slot for each residual, then the unknown arguments. Ops that depend only on residuals and
/// that no primal result needs (mostly derivatives of elementwise ops) belong to it too: so only values of the primal
/// computation are stored.
struct LinearPart {
  Body body;
  llvm::SmallVector<mlir::Value> residuals; // values of the known part
  unsigned numUnknown = 0;

  llvm::MutableArrayRef<mlir::BlockArgument> unknown() { return body.block.getArguments().take_back(numUnknown); }
};

/// Splits `both`. knownArguments[i] is the argument's value in the known part, null for an unknown one. Yields with isLinear[i]
/// become those of `linear`; the others must not depend on an unknown argument. Emits the known part with `e` and returns its
/// yields.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> linearise(const Rules &rules, const Piece &both, Values knownArguments,
                                                          llvm::ArrayRef<bool> isLinear, Emit &e, LinearPart &linear);

/// The same for one op: emits the known part in place. The linear part returns the results that depend on an unknown operand.
/// Returns for each result if it is one of these.
mlir::FailureOr<llvm::SmallVector<bool>> linearise(const Rules &rules, mlir::Operation *op, Values knownOperands, Emit &e,
                                                   LinearPart &linear);

} // namespace lathe::autodiff

#endif
