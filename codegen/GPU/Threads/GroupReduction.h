// A reduction that several threads of a block make together, in an order that depends on nothing but their number.
#ifndef LATHE_CODEGEN_GPU_THREADS_GROUPREDUCTION_H
#define LATHE_CODEGEN_GPU_THREADS_GROUPREDUCTION_H

#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/Reduction.h"

namespace lathe::gpu {

/// How the threads of a block are arranged: `columns` neighbours that each have an own result, and `rows` of them that share
/// it. Thread t is at column t % columns of row t / columns.
struct Group {
  unsigned columns = 1, rows = 1;
};

/// Accumulators of each thread's part combined to those of the whole, which all threads of the column then have.
/// Groups of one column of up to a warp go by exchange among its threads, whose number is a power of two; all threads of the
/// block must come here otherwise.
Reduction::Accumulators combineGroup(ThreadFrame &frame, const Reduction &reduction, Reduction::Accumulators values,
                                     Group group);

} // namespace lathe::gpu

#endif
