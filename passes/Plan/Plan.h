// Gives every value of a fused function its memory: outputs, state in place, one arena.
#ifndef LATHE_PASSES_PLAN_PLAN_H
#define LATHE_PASSES_PLAN_PLAN_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// `lathe-plan`. Requires: a body of kernels, constants, reshapes, branches and loops, and regions of them (lathe-fuse).
/// Guarantees: every kernel, branch and loop has its buffers; every value that a block gives to its end is made there, in the
/// place that it has outside; every carry begins in the loop's own place; lathe-verify-plan holds.
std::unique_ptr<mlir::Pass> createPlanPass();

/// `lathe-verify-plan`. Proves again, knowing nothing of how the plan was made, that no two live buffers overlap and that state
/// is written only after its last read.
std::unique_ptr<mlir::Pass> createVerifyPlanPass();

void registerPlanPasses();

} // namespace lathe

#endif
