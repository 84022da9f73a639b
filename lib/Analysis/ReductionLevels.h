// Levels of reductions in a row kernel. A reduction that depends on another one is a level higher, and each level needs another
// pass over the row.
#ifndef LATHE_ANALYSIS_REDUCTIONLEVELS_H
#define LATHE_ANALYSIS_REDUCTIONLEVELS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the tensors that a nest reads, by its accesses or at computed indices.
llvm::SmallVector<mlir::Value> tensorsReadBy(NestOp nest);

/// Returns for each value that the kernel computes its level: the largest number of reductions on a path to it, including its
/// own op. Reductions of values of level L run in pass L over a row, and a result of level L is stored in pass L. The kernel's
/// ops may be those of the graph, or nests.
llvm::DenseMap<mlir::Value, unsigned> reductionLevels(KernelOp kernel);

} // namespace lathe

#endif
