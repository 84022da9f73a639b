// The times of kernel calls, by the profiling hook of a context.
#ifndef LATHE_TOOLS_LATHE_RUN_KERNELTIMES_H
#define LATHE_TOOLS_LATHE_RUN_KERNELTIMES_H

#include "tools/lathe-run/Runner.h"

struct KernelCall {
  const lathe_kernel_info *kernel;
  double begin, seconds; // from the start of the run
};

/// A piece of a kernel's parallel loop, as one thread ran it.
struct KernelPiece {
  unsigned call, thread; // the call by number; 0 is the calling thread
  double begin, seconds;
};

/// The kernel calls of a run in order, and its results.
struct TimedRun {
  std::vector<KernelCall> calls;
  std::vector<KernelPiece> pieces;
  Tensors results;
};

/// Runs an entry of compiled code once. `earlier` are results of an earlier run (Runner::run). `byThread` also times the pieces
/// of parallel loops.
Expected<TimedRun> timeKernels(Runner &runner, const Tensors &inputs, Tensors earlier, bool byThread = false);

#endif
