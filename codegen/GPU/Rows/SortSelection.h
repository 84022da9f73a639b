// The selection of a line's first entries without a list.
#ifndef LATHE_CODEGEN_GPU_ROWS_SORTSELECTION_H
#define LATHE_CODEGEN_GPU_ROWS_SORTSELECTION_H

#include "codegen/GPU/Rows/SortEntries.h"

namespace lathe::gpu {

/// Calls result(number, entry) for each of the line's first `count` entries, in order. All threads of a block have the entry.
void selectFirst(ThreadFrame &frame, SortEntries &entries, int64_t count,
                 llvm::function_ref<void(mlir::Value, const SortEntry &)> result);

} // namespace lathe::gpu

#endif
