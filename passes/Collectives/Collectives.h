// Brings collectives into the forms that communicators carry out.
#ifndef LATHE_PASSES_COLLECTIVES_COLLECTIVES_H
#define LATHE_PASSES_COLLECTIVES_COLLECTIVES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Collectives/Collectives.h.inc"

} // namespace lathe

#endif
