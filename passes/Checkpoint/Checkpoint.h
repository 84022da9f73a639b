// Checkpoints at the end of their use.
#ifndef LATHE_PASSES_CHECKPOINT_CHECKPOINT_H
#define LATHE_PASSES_CHECKPOINT_CHECKPOINT_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// `lathe-inline-checkpoints`. Puts the ops of each lathe.checkpoint in its place. Requires that no pass follows which joins
/// equal ops: what a checkpoint computes again for a derivative would become the values of the first run, kept after all.
/// Guarantees that no checkpoint is left.
std::unique_ptr<mlir::Pass> createInlineCheckpointsPass();
void registerCheckpointPasses();

} // namespace lathe

#endif
