// Rewrites a scatter of one update for each line as a select.
#ifndef LATHE_PASSES_LAYOUT_SCATTERTOSELECT_H
#define LATHE_PASSES_LAYOUT_SCATTERTOSELECT_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populateScatterToSelect(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
