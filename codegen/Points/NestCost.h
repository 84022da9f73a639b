// The cost of the points of nests, for cost models.
#ifndef LATHE_CODEGEN_POINTS_NESTCOST_H
#define LATHE_CODEGEN_POINTS_NESTCOST_H

#include "codegen/Math/Cost.h"
#include "codegen/Points/VectorTarget.h"
#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the cost of a nest's body for a vector of points.
elementary::Cost costOf(NestOp nest, const VectorTarget &target);

/// Returns the cycles from a value of a kernel to the last of its results, for a vector of points.
double latencyBehind(mlir::Value value, const VectorTarget &target);

} // namespace lathe

#endif
