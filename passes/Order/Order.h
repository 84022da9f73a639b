// Orders kernels so that few bytes are live at once.
#ifndef LATHE_PASSES_ORDER_ORDER_H
#define LATHE_PASSES_ORDER_ORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Order/Order.h.inc"

/// Orders the blocks of a function, as the pass does. Returns the number of blocks whose order changed.
size_t orderSteps(mlir::func::FuncOp function);

} // namespace lathe

#endif
