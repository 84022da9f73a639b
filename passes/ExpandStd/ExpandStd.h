// Composites become calls of functions of plain ops.
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

/// The same pass, which calls `refused` with the module when it cannot expand some uses: those are the lathe.std ops that are
/// left, and their errors are reported already. The caller can report what else is wrong with the graph.
std::unique_ptr<mlir::Pass> createExpandStdPass(std::function<void(mlir::ModuleOp module)> refused);

} // namespace lathe

#endif
