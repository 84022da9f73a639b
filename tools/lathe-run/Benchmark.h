// Timing of an entry: latency over many runs, and time by kernel.
#ifndef LATHE_TOOLS_LATHE_RUN_BENCHMARK_H
#define LATHE_TOOLS_LATHE_RUN_BENCHMARK_H

#include "tools/lathe-run/Runner.h"

/// Runs for about `seconds` after a warm-up and prints minimum, median, 99th percentile and throughput.
std::optional<Failure> benchmark(Runner &runner, const Tensors &inputs, double seconds);

/// Runs once to warm up, then once more, and prints a row for each kernel call: share, time, graph line, op and what is fused
/// with it. Stores each call with its time in the file `trace`, in the Trace Event Format, unless that is empty.
std::optional<Failure> profile(Runner &runner, const Tensors &inputs, const std::string &trace);

#endif
