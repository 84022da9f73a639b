// Parses the values of --dim, --specialize and --max-steps and --mem-budget, which lathec and lathe-run share, and of --shard.
#ifndef LATHE_COMPILER_SIZEOPTIONS_H
#define LATHE_COMPILER_SIZEOPTIONS_H

#include "lathe/CompileOptions.h"

namespace lathe {

/// Reads "N=4" into the fixed dimensions, "H=32*h" into the dimensions that are expressions of others, and "N=1,8,32" into the
/// specialised sizes; lists for one name are merged. Returns what is wrong, with the option's name, or an empty string.
std::string readSizeOptions(const std::vector<std::string> &dims, const std::vector<std::string> &specialize,
                            CompileOptions &options);

/// Reads "64" and "y=64". Returns what is wrong, or an empty string.
std::string readStepOptions(const std::vector<std::string> &steps, CompileOptions &options);

/// Reads "64MB" and "1GiB:N=32,M=4". Returns what is wrong, or an empty string.
std::string readBudgetOption(const std::string &text, CompileOptions &options);

/// Reads "data=4". Returns what is wrong, or an empty string.
std::string readAxisOptions(const std::vector<std::string> &axes, CompileOptions &options);

/// Reads "data" and "data:parameters"; readAxisOptions must have run. Returns what is wrong, or an empty string.
std::string readStateAxisOption(const std::string &text, CompileOptions &options);

/// Reads "train_step:N" and "train_step:N@data". The functions above must have run. Returns what is wrong, or an empty string.
std::string readShardOptions(const std::vector<std::string> &shards, CompileOptions &options);

/// Reads "*.w:1@model"; readAxisOptions must have run. Returns what is wrong, or an empty string.
std::string readVariableShardOptions(const std::vector<std::string> &shards, CompileOptions &options);

} // namespace lathe

#endif
