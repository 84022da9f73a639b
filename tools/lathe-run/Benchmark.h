// Timing of an entry: latency over many runs.
#ifndef LATHE_TOOLS_LATHE_RUN_BENCHMARK_H
#define LATHE_TOOLS_LATHE_RUN_BENCHMARK_H

#include "tools/lathe-run/Runner.h"

/// Runs for about `seconds` after a warm-up and prints minimum, median, 99th percentile and throughput. Writes them with the
/// number of runs to the file `output` as JSON, in seconds, unless that is empty.
std::optional<Failure> benchmark(Runner &runner, const Tensors &inputs, double seconds, const std::string &output);

#endif
