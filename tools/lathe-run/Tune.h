// Measures other schedules for the kernels of a graph: lathe-run --tune.
#ifndef LATHE_TOOLS_LATHE_RUN_TUNE_H
#define LATHE_TOOLS_LATHE_RUN_TUNE_H

#include "tools/lathe-run/Runner.h"

/// Compiles and times the graph with other schedules for about `options.tuneSeconds`. Prints a table of the kernels that become
/// faster, and writes their schedules to `options.tuneFile` for lathec --schedule. Fails if a schedule changes a bit of a
/// result.
std::optional<Failure> tune(const RunOptions &options);

#endif
