// The times of kernel calls, by the profiling hook of a context.
#ifndef LATHE_TOOLS_LATHE_RUN_KERNELTIMES_H
#define LATHE_TOOLS_LATHE_RUN_KERNELTIMES_H

#include "tools/lathe-run/Runner.h"

struct KernelCall {
  const lathe_kernel_info *kernel;
  double begin, seconds; // from the start of the run
};

/// The kernel calls of a run in order, and its results.
struct TimedRun {
  std::vector<KernelCall> calls;
  Tensors results;
};

/// Runs an entry of compiled code once. `earlier` are results of an earlier run (Runner::run).
Expected<TimedRun> timeKernels(Runner &runner, const Tensors &inputs, Tensors earlier);

#endif
