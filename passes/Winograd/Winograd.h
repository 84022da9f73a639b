// Chooses the convolutions that CPU kernels compute by Winograd's minimal filtering.
#ifndef LATHE_PASSES_WINOGRAD_WINOGRAD_H
#define LATHE_PASSES_WINOGRAD_WINOGRAD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Winograd/Winograd.h.inc"

} // namespace lathe

#endif
