// Rewrites transposes of products.
#ifndef LATHE_PASSES_LAYOUT_SWAPFACTORS_H
#define LATHE_PASSES_LAYOUT_SWAPFACTORS_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populateSwapFactors(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
