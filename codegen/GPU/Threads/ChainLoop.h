// The loop of a thread over what it reduces, with the accumulators that keep a long sum accurate.
#ifndef LATHE_CODEGEN_GPU_THREADS_CHAINLOOP_H
#define LATHE_CODEGEN_GPU_THREADS_CHAINLOOP_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// Accumulators that a body takes in at `low`, `low + step` and so on below `high`. Floating-point sums, those that `isSum`
/// marks, are added up in chains of 32 places, these in groups of 32, and the groups one after the other. `most`: how many
/// places there are at most, if that is known; few of them are one chain.
CodeFrame::Carry loopInChains(ThreadFrame &frame, mlir::Value low, mlir::Value high, int64_t step, std::optional<int64_t> most,
                              const CodeFrame::Carry &neutral, llvm::ArrayRef<bool> isSum,
                              llvm::function_ref<CodeFrame::Carry(mlir::Value, const CodeFrame::Carry &)> body);

} // namespace lathe::gpu

#endif
