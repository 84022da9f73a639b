// Moves products that the steps of a loop add up to one product after it.
#ifndef LATHE_PASSES_SINK_SINK_H
#define LATHE_PASSES_SINK_SINK_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Sink/Sink.h.inc"

} // namespace lathe

#endif
