// Converts graphs to double precision, to compare derivatives with differences.
#ifndef LATHE_PASSES_WIDEN_WIDEN_H
#define LATHE_PASSES_WIDEN_WIDEN_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Widen/Widen.h.inc"

} // namespace lathe

#endif
