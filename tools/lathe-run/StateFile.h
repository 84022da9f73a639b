// The variables of a runner as a safetensors file.
#ifndef LATHE_TOOLS_LATHE_RUN_STATEFILE_H
#define LATHE_TOOLS_LATHE_RUN_STATEFILE_H

#include "tools/lathe-run/Runner.h"

/// Sets the variables to the tensors of --load-state; tells on stderr what only one of the two has.
std::optional<Failure> loadState(Runner &runner, const RunOptions &options);
/// Writes them to the file of --save-state.
std::optional<Failure> saveState(const Runner &runner, const RunOptions &options);

#endif
