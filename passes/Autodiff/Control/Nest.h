// Checkpoint policies of loops.
#ifndef LATHE_AUTODIFF_NEST_H
#define LATHE_AUTODIFF_NEST_H

#include "passes/Autodiff/Activity.h"

namespace lathe::autodiff {

/// Makes each active loop with a checkpoint policy a loop over segments of so many steps: a segment is a lathe.checkpoint
/// around a loop, so that a reverse derivative keeps the carries between segments, and computes a segment's steps again when it
/// comes to it (Griewank 1992; with segments of the square root of all steps both parts need as much). Values and their order
/// stay as they are; which values are active is to be asked again. Fails, with a diagnostic, where the number of segments is
/// not known.
mlir::LogicalResult nestCheckpoints(Body &body, const Activity &activity);

} // namespace lathe::autodiff

#endif
