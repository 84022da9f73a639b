// The loops over blocks of rows that compute a region.
#ifndef LATHE_PASSES_KEYBLOCKS_ROWLOOPS_H
#define LATHE_PASSES_KEYBLOCKS_ROWLOOPS_H

#include "passes/KeyBlocks/RowRegion.h"

namespace lathe {

/// Emits nested loops in place of a region: one for each of its extents, the innermost over blocks of `rows` rows, and one over
/// blocks of `columns` if the region divides them. What other ops read of the region's matrices stays. The inputs and the ops
/// of the results must come before `builder`'s position. Returns the values of the results, in their order.
llvm::SmallVector<mlir::Value> emitRowLoops(mlir::OpBuilder &builder, const RowRegion &region, int64_t rows, int64_t columns);

} // namespace lathe

#endif
