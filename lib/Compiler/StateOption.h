// Parses the values of --state, which lathec and lathe-run share.
#ifndef LATHE_COMPILER_STATEOPTION_H
#define LATHE_COMPILER_STATEOPTION_H

#include "lathe/CompileOptions.h"

namespace lathe {

/// The help text of --state.
inline constexpr const char *kStateHelp =
    "initializers[:PATTERN]: turn float initializers that match PATTERN into trainable variables (* and ? "
    "stand for any letters); may be repeated";

/// Reads "initializers" and "initializers:fc.*". Returns what is wrong, with the option's name, or an empty string.
std::string readStateOption(const std::vector<std::string> &texts, CompileOptions &options);

} // namespace lathe

#endif
