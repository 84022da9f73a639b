// Checks that no file that a run writes is one that it reads.
#ifndef LATHE_TOOLS_LATHE_RUN_OUTPUTFILES_H
#define LATHE_TOOLS_LATHE_RUN_OUTPUTFILES_H

#include "tools/lathe-run/Runner.h"

/// Returns why a file of --output, --save, --save-state or --profile must not be written: the command line also names it as
/// an input, or two results have it. Returns an empty string if all may be written. --save-state may replace the file
/// of --load-state.
std::string checkOutputFiles(const Signature &signature, const RunOptions &options);

#endif
