// Rewrites ops into forms with fast kernels.
#ifndef LATHE_PASSES_LAYOUT_LAYOUT_H
#define LATHE_PASSES_LAYOUT_LAYOUT_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Layout/Layout.h.inc"

} // namespace lathe

#endif
