// Expands composites to calls of functions of plain ops.
#ifndef LATHE_PASSES_EXPANDSTD_EXPANDSTD_H
#define LATHE_PASSES_EXPANDSTD_EXPANDSTD_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <functional>
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/ExpandStd/ExpandStd.h.inc"

/// The same pass. If it cannot expand some uses, it leaves these lathe.std ops, reports their errors and calls `refused` with
/// the module. The caller can then report other errors of the graph.
std::unique_ptr<mlir::Pass> createExpandStdPass(std::function<void(mlir::ModuleOp module)> refused);

} // namespace lathe

#endif
