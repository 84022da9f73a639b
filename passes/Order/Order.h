// Orders kernels so that few bytes are live at once.
#ifndef LATHE_PASSES_ORDER_ORDER_H
#define LATHE_PASSES_ORDER_ORDER_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Order/Order.h.inc"

} // namespace lathe

#endif
