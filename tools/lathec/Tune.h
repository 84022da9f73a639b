// lathec --tune: measures other schedules of the kernels before the graph is compiled.
#ifndef LATHE_TOOLS_LATHEC_TUNE_H
#define LATHE_TOOLS_LATHEC_TUNE_H

#include "lib/Compiler/CompileFile.h"
#include "tools/lathec/ConstInputs.h"
#include "tools/lathec/Options.h"

namespace lathe {

/// Measures the kernels of all entries for about `line.tuneSeconds`, with random inputs. Writes the schedules that are faster,
/// and those of --schedule, to `line.tuneFile`, with which the graph is then compiled. Prints a table to stderr.
CompileStatus tuneKernels(CommandLine &line, const ConstInputs &constants);

} // namespace lathe

#endif
