// Computes values again instead of keeping them, or moves them to a cold workspace, so that a workspace fits.
#ifndef LATHE_PASSES_RECOMPUTE_RECOMPUTE_H
#define LATHE_PASSES_RECOMPUTE_RECOMPUTE_H

#include "dialects/Lathe/IR/Sizes.h"
#include "lib/Analysis/KernelCost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Recompute/Recompute.h.inc"

/// Attribute of a function: the bytes of workspace that it takes beside the plan's buffers (#lathe.dim).
inline constexpr llvm::StringLiteral kReservedAttr = "lathe.reserved";

/// Returns these bytes; 0 if the function has no such attribute.
Dim reservedBytesOf(mlir::func::FuncOp function);

/// A bound on a workspace, and the sizes of named dimensions for which it holds.
struct MemoryBudget {
  int64_t bytes = 0; // 0 for no bound
  Sizes sizes;
  /// Values are computed again in any case as long as that adds at most this share of the function's time, where the largest
  /// live set is larger than so many bytes.
  double share = 0;
  int64_t shareAbove = 0;
  MachineModel machine = kOneCore; // for which candidates are compared
  bool offload = false;            // values may move to a cold workspace, which is not bounded
};

/// Returns the pass with a budget for all functions. `plan` returns the workspace that the plan of a function takes, and leaves
/// the function as it is.
std::unique_ptr<mlir::Pass> createRecomputePass(MemoryBudget budget, Dim (*plan)(mlir::func::FuncOp function));

} // namespace lathe

#endif
