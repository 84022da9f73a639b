// Assigns memory to every value between kernels.
#ifndef LATHE_PASSES_PLAN_PLAN_H
#define LATHE_PASSES_PLAN_PLAN_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Plan/Plan.h.inc"

} // namespace lathe

#endif
