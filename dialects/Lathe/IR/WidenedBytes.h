// Widened 8-bit integers in loops.
#ifndef LATHE_DIALECTS_LATHE_IR_WIDENEDBYTES_H
#define LATHE_DIALECTS_LATHE_IR_WIDENEDBYTES_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

/// True if the op widens 8-bit integers to other integers. hoistInvariants leaves it in its loop: kernels that multiply bytes
/// read them as they are, and all others read a quarter of what the result would take.
bool widensBytes(mlir::Operation *op);

/// Replaces consts of a loop that widen bytes by the bytes, and widens these where the loop uses them. Returns true if there
/// were any.
bool sinkWidenedBytes(mlir::RewriterBase &rewriter, mlir::Operation *loop);

} // namespace lathe

#endif
