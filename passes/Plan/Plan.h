// Gives every value of a fused function its memory: outputs, state in place, one arena.
#ifndef LATHE_PASSES_PLAN_PLAN_H
#define LATHE_PASSES_PLAN_PLAN_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// Attribute of a kernel, a branch or a loop: one #lathe.buffer for each result. Attribute of a function: the bytes of
/// workspace it needs.
inline constexpr llvm::StringLiteral kBuffersAttr = "lathe.buffers";
/// Attribute of a loop: for each carry the second place that it has, or a unit attribute if a step updates it where it is. Of
/// two places a step reads one and writes the other, and they change roles; its result is in one of them.
inline constexpr llvm::StringLiteral kSparesAttr = "lathe.spares";
inline constexpr llvm::StringLiteral kWorkspaceAttr = "lathe.workspace";

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
