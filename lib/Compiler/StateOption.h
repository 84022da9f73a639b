// Parses the values of --state, which lathec and lathe-run share.
#ifndef LATHE_COMPILER_STATEOPTION_H
#define LATHE_COMPILER_STATEOPTION_H

#include "lathe/CompileOptions.h"

namespace lathe {

/// Reads "initializers", "initializers:fc.*" and the same for "arguments". Returns what is wrong, with the option's name, or an
/// empty string.
std::string readStateOption(const std::vector<std::string> &texts, CompileOptions &options);

} // namespace lathe

#endif
