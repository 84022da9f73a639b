// Timing of an entry: latency over many runs, and time by kernel.
#ifndef LATHE_TOOLS_LATHE_RUN_BENCHMARK_H
#define LATHE_TOOLS_LATHE_RUN_BENCHMARK_H

#include "tools/lathe-run/Runner.h"

/// Runs for about `seconds` after a warm-up and prints minimum, median, 99th percentile and throughput. Writes them with the
/// number of runs to the file `output` as JSON, in seconds, unless that is empty.
std::optional<Failure> benchmark(Runner &runner, const Tensors &inputs, double seconds, const std::string &output);

/// Runs once to warm up, then once more, and prints a row for each kernel call: share, time, graph line, op and the ops fused
/// with it. Writes each call with its time to the file `trace`, in the Trace Event Format, unless that is empty.
std::optional<Failure> profile(Runner &runner, const Tensors &inputs, const std::string &trace);

#endif
