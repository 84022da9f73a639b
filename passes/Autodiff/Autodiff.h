// Derivatives and batches become plain ops.
#ifndef LATHE_PASSES_AUTODIFF_AUTODIFF_H
#define LATHE_PASSES_AUTODIFF_AUTODIFF_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Autodiff/Autodiff.h.inc"

} // namespace lathe

#endif
