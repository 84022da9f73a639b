// The texts of --state, which lathec and lathe-run share.
#ifndef LATHE_COMPILER_STATEOPTION_H
#define LATHE_COMPILER_STATEOPTION_H

#include "lathe/CompileOptions.h"

namespace lathe {

/// What --state is, for --help.
inline constexpr const char *kStateHelp =
    "initializers[:PATTERN]: turn float initializers that match PATTERN into trainable variables (* and ? "
    "stand for any letters); may be repeated";

/// Reads "initializers" and "initializers:fc.*" texts. Returns what is wrong, with the option's name; empty if nothing is.
std::string readStateOption(const std::vector<std::string> &texts, CompileOptions &options);

} // namespace lathe

#endif
