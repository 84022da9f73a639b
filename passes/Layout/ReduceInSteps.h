// Rewrites reductions to a few numbers, and products of integers by one vector, for fusion with what computes their operands.
#ifndef LATHE_PASSES_LAYOUT_REDUCEINSTEPS_H
#define LATHE_PASSES_LAYOUT_REDUCEINSTEPS_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populateReduceInSteps(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
