// Rewrites sums of adjacent padded parts as concatenations.
#ifndef LATHE_PASSES_LAYOUT_PADSTOCONCATENATE_H
#define LATHE_PASSES_LAYOUT_PADSTOCONCATENATE_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populatePadsToConcatenate(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
