// Option checks that do not need the graph.
#ifndef LATHE_COMPILER_CHECKOPTIONS_H
#define LATHE_COMPILER_CHECKOPTIONS_H

#include "codegen/Emit/Targets.h"
#include "lathe/CompileOptions.h"

namespace lathe {

/// Resolves the targets that the options name. Returns why the options or the graph's file cannot be used, or an empty string.
std::string checkOptions(const std::string &path, const CompileOptions &options, Targets &targets);

} // namespace lathe

#endif
