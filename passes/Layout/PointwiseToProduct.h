// Rewrites a convolution with one tap as a product of matrices.
#ifndef LATHE_PASSES_LAYOUT_POINTWISETOPRODUCT_H
#define LATHE_PASSES_LAYOUT_POINTWISETOPRODUCT_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populatePointwiseToProduct(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
