// Sums along the rows of attention's matrices, computed from thin matrices.
#ifndef LATHE_PASSES_KEYBLOCKS_ROWSUMS_H
#define LATHE_PASSES_KEYBLOCKS_ROWSUMS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Rewrites the derivative of a softmax in a block, for matrices of at least `least` bytes, so that no element of a matrix
/// depends on others of its row. With weights P = E / t, values V, the attention's result Y = P V and its cotangent dY:
///
///   sum along rows of (dY V^T) P      becomes  the sum along rows of dY Y (Dao et al. 2022); also for -P and P / t
///   ((dY V^T) / t + s) E              becomes  (dY V^T + s t) P
///
/// Returns true if there is such an op.
bool simplifyRowSums(mlir::Block &block, int64_t least);

} // namespace lathe

#endif
