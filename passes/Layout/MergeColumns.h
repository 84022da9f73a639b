// Rewrites products whose result has a short last dimension.
#ifndef LATHE_PASSES_LAYOUT_MERGECOLUMNS_H
#define LATHE_PASSES_LAYOUT_MERGECOLUMNS_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populateMergeColumns(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
