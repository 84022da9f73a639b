// The variables of a runner as a safetensors file.
#ifndef LATHE_TOOLS_LATHE_RUN_STATEFILE_H
#define LATHE_TOOLS_LATHE_RUN_STATEFILE_H

#include "tools/lathe-run/Runner.h"

/// Sets the variables to the tensors of --load-state. Reports variables and tensors without a counterpart on stderr.
std::optional<Failure> loadState(Runner &runner, const RunOptions &options);
/// Writes the variables to the file of --save-state.
std::optional<Failure> saveState(const Runner &runner, const RunOptions &options);

#endif
