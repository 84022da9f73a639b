// Rewrites a scatter by constant indices into zeros as a gather.
#ifndef LATHE_PASSES_LAYOUT_SCATTERTOGATHER_H
#define LATHE_PASSES_LAYOUT_SCATTERTOGATHER_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

void populateScatterToGather(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
