// A reduction across threads of a block, in an order that depends only on the number of threads.
#ifndef LATHE_CODEGEN_GPU_THREADS_GROUPREDUCTION_H
#define LATHE_CODEGEN_GPU_THREADS_GROUPREDUCTION_H

#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/Reduction.h"

namespace lathe::gpu {

/// The arrangement of a block's threads for reductions. Each of the `columns` has its own result, and the `rows` threads of a
/// column share it. Thread t is in row t / columns and column t % columns, so adjacent threads have adjacent results.
struct Group {
  unsigned columns = 1, rows = 1;
};

/// Combines the accumulators of the threads of each column. All threads of the column get the total. A single column of at most
/// a warp, whose threads are a power of two, uses shuffles. Otherwise all threads of the block must reach the code, which has
/// barriers.
Reduction::Accumulators combineGroup(ThreadFrame &frame, const Reduction &reduction, Reduction::Accumulators values,
                                     Group group);

} // namespace lathe::gpu

#endif
