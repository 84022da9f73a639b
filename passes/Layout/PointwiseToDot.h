// Rewrites a convolution with one tap as a product of matrices.
#ifndef LATHE_PASSES_LAYOUT_POINTWISETODOT_H
#define LATHE_PASSES_LAYOUT_POINTWISETODOT_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populatePointwiseToDot(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
