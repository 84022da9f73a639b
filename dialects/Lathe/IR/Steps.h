// The number of steps of a loop, the diagnostics about it, and attributes of loops.
#ifndef LATHE_IR_STEPS_H
#define LATHE_IR_STEPS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Refuses a number of steps below 0, which a named one may turn out to be.
mlir::LogicalResult checkTrip(ScanOp scan);

/// On a loop over segments: the bound of the original loop.
inline constexpr llvm::StringLiteral kDeclaredBoundAttr = "lathe.declared_bound";
/// Returns the bound as written in the graph, for the message that reports an exceeded bound.
int64_t declaredBound(WhileOp loop);

/// On a loop with a bound that a derivative or a batch created from another one, whose results were used: it may be removed if
/// its own results are unused. Loops that a derivative computes beyond the requested values report no bound.
inline constexpr llvm::StringLiteral kMadeOfLoopAttr = "lathe.made_of_loop";

/// The labels under which hoistInvariants is a canonicalization, for pipelines without it: for ops for which
/// mayHoistBeforeDerivatives holds, and for all ops.
inline constexpr llvm::StringLiteral kHoisting = "lathe-hoisting", kHoistingOfAll = "lathe-hoisting-of-all";

} // namespace lathe

#endif
