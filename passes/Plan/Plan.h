// Assigns memory to every value between kernels.
#ifndef LATHE_PASSES_PLAN_PLAN_H
#define LATHE_PASSES_PLAN_PLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Plan/Plan.h.inc"

/// Plans a function, as the pass does. Returns the number of buffers in the arena.
size_t planFunction(mlir::func::FuncOp function);

} // namespace lathe

#endif
