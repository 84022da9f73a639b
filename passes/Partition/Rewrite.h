// Rewrites a function so that each rank computes its part of it.
#ifndef LATHE_PASSES_PARTITION_REWRITE_H
#define LATHE_PASSES_PARTITION_REWRITE_H

#include "passes/Partition/Convert.h"
#include "passes/Partition/Propagate.h"

namespace lathe::partition {

/// Rewrites a function by its plan, in place. Returns the numbers of collectives that were made.
Converter::Counts rewrite(mlir::func::FuncOp function, const FunctionPlan &plan, const Axes &axes);

} // namespace lathe::partition

#endif
