// Branches on a device whose predicate the host need not know: kernels of both sides are launched, and those of the side that
// is not taken end at once.
#ifndef LATHE_CODEGEN_EMIT_PREDICATION_H
#define LATHE_CODEGEN_EMIT_PREDICATION_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Whether nothing in the branch but kernels needs its predicate: no condition of a loop, no call of the application's, nothing
/// that reports.
bool isPredicated(IfOp branch);

/// How many predicated branches are around an op.
unsigned predicateDepth(mlir::Operation *op);

/// How many predicated branches there are in a function.
unsigned countPredicated(mlir::Operation *function);

} // namespace lathe

#endif
