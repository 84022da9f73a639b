// Brings operands of integer products into the form that kernels of bytes read.
#ifndef LATHE_PASSES_LAYOUT_BYTESFIRST_H
#define LATHE_PASSES_LAYOUT_BYTESFIRST_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

/// Moves bytes before they are widened, and makes constant factors i8 without a zero point.
void populateBytesFirst(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
