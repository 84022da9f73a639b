// Checks that what a run stores does not replace what it reads.
#ifndef LATHE_TOOLS_LATHE_RUN_OUTPUTFILES_H
#define LATHE_TOOLS_LATHE_RUN_OUTPUTFILES_H

#include "tools/lathe-run/Runner.h"

/// Returns why a file of --output, --save, --save-state or --profile must not be written: it is one that the command line names
/// to be read, or two results have it. Returns an empty string if all may be. --save-state may replace the file of
/// --load-state.
std::string checkOutputFiles(const Signature &signature, const RunOptions &options);

#endif
