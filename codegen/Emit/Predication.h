// Branches on a device whose predicate the host need not know: kernels of both sides are launched, and those of the side that
// is not taken end at once.
#ifndef LATHE_CODEGEN_EMIT_PREDICATION_H
#define LATHE_CODEGEN_EMIT_PREDICATION_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Whether the host must look at a value that something in here makes: a condition of a loop, an operand of the application's
/// function, what is reported.
bool needsHost(mlir::Operation *root);

/// Whether nothing but kernels needs the branch's predicate.
inline bool isPredicated(IfOp branch) { return !needsHost(branch); }

/// How many predicated branches are around an op.
unsigned predicateDepth(mlir::Operation *op);

/// How many predicated branches there are in a function.
unsigned countPredicated(mlir::Operation *function);

} // namespace lathe

#endif
