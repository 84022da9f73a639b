// Implements checkpoint policies of loops.
#ifndef LATHE_AUTODIFF_NEST_H
#define LATHE_AUTODIFF_NEST_H

#include "passes/Autodiff/Activity.h"

namespace lathe::autodiff {

/// Splits each active loop with a checkpoint policy into a loop over segments. A segment is a lathe.checkpoint around a loop,
/// so that a reverse derivative keeps the carries between segments and recomputes a segment's steps when it reaches it
/// (Griewank 1992; with segments of the square root of all steps both parts need the same amount of memory). Values and their
/// order do not change. The activity must be computed again. Fails, with a diagnostic, if the number of segments is not known.
mlir::LogicalResult nestCheckpoints(Body &body, const Activity &activity);

} // namespace lathe::autodiff

#endif
