// A thread's loop over the elements that it reduces. Long sums are split into chains to keep them accurate.
#ifndef LATHE_CODEGEN_GPU_THREADS_CHAINLOOP_H
#define LATHE_CODEGEN_GPU_THREADS_CHAINLOOP_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// Emits a loop from `low` to `high` in steps of `step` around `body`, which returns the accumulators after one more step.
/// Returns the final accumulators. Floating-point sums, which `isSum` marks, are added up in chains of 32 steps, the chains in
/// groups of 32, and the groups in order. `most` is the largest number of steps, if known. Few steps form a single chain.
CodeFrame::Carry loopInChains(ThreadFrame &frame, mlir::Value low, mlir::Value high, int64_t step, std::optional<int64_t> most,
                              const CodeFrame::Carry &neutral, llvm::ArrayRef<bool> isSum,
                              llvm::function_ref<CodeFrame::Carry(mlir::Value, const CodeFrame::Carry &)> body);

} // namespace lathe::gpu

#endif
