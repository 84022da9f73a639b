// Gives every value of a fused function its memory: outputs, state in place, one arena.
#ifndef LATHE_PASSES_PLAN_PLAN_H
#define LATHE_PASSES_PLAN_PLAN_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// Attribute of a kernel: one #lathe.buffer for each result. Attribute of a function: the bytes of workspace it needs.
inline constexpr llvm::StringLiteral kBuffersAttr = "lathe.buffers";
inline constexpr llvm::StringLiteral kWorkspaceAttr = "lathe.workspace";

/// `lathe-plan`. Requires: a body of kernels, constants and reshapes (lathe-fuse). Guarantees: every kernel has its buffers,
/// every returned value is a kernel's result in a result buffer of its own; lathe-verify-plan holds.
std::unique_ptr<mlir::Pass> createPlanPass();

/// `lathe-verify-plan`. Proves again, knowing nothing of how the plan was made, that no two live buffers overlap and that state
/// is written only after its last read.
std::unique_ptr<mlir::Pass> createVerifyPlanPass();

void registerPlanPasses();

} // namespace lathe

#endif
