// Makes state explicit: variables become arguments and results, optimisers become ops.
#ifndef LATHE_PASSES_STATE_STATE_H
#define LATHE_PASSES_STATE_STATE_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/State/State.h.inc"

} // namespace lathe

#endif
