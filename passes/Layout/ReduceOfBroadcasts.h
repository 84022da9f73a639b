// Rewrites reductions of what is the same along a dimension that they keep.
#ifndef LATHE_PASSES_LAYOUT_REDUCEOFBROADCASTS_H
#define LATHE_PASSES_LAYOUT_REDUCEOFBROADCASTS_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populateReduceOfBroadcasts(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
