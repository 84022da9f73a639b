// A sorting network over the list of a line's entries.
#ifndef LATHE_CODEGEN_GPU_ROWS_SORTNETWORK_H
#define LATHE_CODEGEN_GPU_ROWS_SORTNETWORK_H

#include "codegen/GPU/Rows/SortEntries.h"

namespace lathe::gpu {

/// Fills the list with the line's entries and sorts it, by all threads of a block.
void sortList(ThreadFrame &frame, SortEntries &entries);

} // namespace lathe::gpu

#endif
