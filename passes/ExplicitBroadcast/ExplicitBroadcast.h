// Makes implicit broadcasts explicit.
#ifndef LATHE_PASSES_EXPLICITBROADCAST_EXPLICITBROADCAST_H
#define LATHE_PASSES_EXPLICITBROADCAST_EXPLICITBROADCAST_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h.inc"

} // namespace lathe

#endif
