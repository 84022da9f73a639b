// The signs of values, as far as the ops that compute them show.
#ifndef LATHE_ANALYSIS_SIGNS_H
#define LATHE_ANALYSIS_SIGNS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// True if no element of a tensor of floats is above 0, though it may be NaN: the tensor is a difference x - max(x), as in a
/// softmax, with the maximum along some dimensions or a larger number. It may be replaced by another one where it is -inf.
bool isNonpositive(mlir::Value value);

/// Returns the value that another has wherever it is above -inf: m for select(m == -inf, number, m), otherwise the value
/// itself.
mlir::Value aboveMinusInfinity(mlir::Value value);

/// True if a broadcast repeats the results of a reduction along the dimensions that were reduced, and no others.
bool restoresRows(BroadcastOp repeated, ReduceOp reduced);

} // namespace lathe

#endif
