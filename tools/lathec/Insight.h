// Reports the decisions and times that --explain and --time-report ask for.
#ifndef LATHE_TOOLS_LATHEC_INSIGHT_H
#define LATHE_TOOLS_LATHEC_INSIGHT_H

#include "lathe/Compiler.h"
#include "tools/lathec/Options.h"

/// Prints the remarks and times that the command line asks for as text, and all diagnostics. Writes those for which it names
/// files as JSON, if `writesFiles` is set. Returns what went wrong, or an empty string.
std::string reportInsight(const CommandLine &line, const lathe::CompileResult &result, bool writesFiles);

#endif
