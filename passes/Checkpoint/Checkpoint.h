// Removes checkpoints before fusion.
#ifndef LATHE_PASSES_CHECKPOINT_CHECKPOINT_H
#define LATHE_PASSES_CHECKPOINT_CHECKPOINT_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Checkpoint/Checkpoint.h.inc"

} // namespace lathe

#endif
