// Runs kernels together strip by strip, so that the matrices between them are never stored as a whole.
#ifndef LATHE_PASSES_STRIPS_H
#define LATHE_PASSES_STRIPS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Strips/Strips.h.inc"

} // namespace lathe

#endif
