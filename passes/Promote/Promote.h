// Computes halves in f32, and orders unsigned integers as signed ones.
#ifndef LATHE_PASSES_PROMOTE_PROMOTE_H
#define LATHE_PASSES_PROMOTE_PROMOTE_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Promote/Promote.h.inc"

} // namespace lathe

#endif
