// How many reductions lie one behind the other in a row kernel, which tells the passes over a row that it needs.
#ifndef LATHE_ANALYSIS_REDUCTIONLEVELS_H
#define LATHE_ANALYSIS_REDUCTIONLEVELS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the tensors that a nest reads, by its accesses or at computed places.
llvm::SmallVector<mlir::Value> tensorsReadBy(NestOp nest);

/// Returns for each value that the kernel computes the largest number of reductions on a way to it, its own op included.
/// Reductions of values of level L run in pass L over a row, and a result of level L is stored in pass L. The kernel's ops may
/// be those of the graph, or nests.
llvm::DenseMap<mlir::Value, unsigned> reductionLevels(KernelOp kernel);

} // namespace lathe

#endif
