// Sums of padded parts that lie side by side, as concatenations.
#ifndef LATHE_PASSES_LAYOUT_PADSTOCONCATENATE_H
#define LATHE_PASSES_LAYOUT_PADSTOCONCATENATE_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populatePadsToConcatenate(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
