// The texts of --dim and --specialize, which lathec and lathe-run share, and of --shard.
#ifndef LATHE_COMPILER_SIZEOPTIONS_H
#define LATHE_COMPILER_SIZEOPTIONS_H

#include "lathe/CompileOptions.h"

namespace lathe {

/// Reads "N=4" texts into the fixed dimensions and "N=1,8,32" texts into the specialised ones; lists for one name join. Returns
/// what is wrong, with the option's name; empty if nothing is.
std::string readSizeOptions(const std::vector<std::string> &dims, const std::vector<std::string> &specialize,
                            CompileOptions &options);

/// Reads "train_step:N" texts; to be called after the above. Returns as it does.
std::string readShardOptions(const std::vector<std::string> &shards, CompileOptions &options);

} // namespace lathe

#endif
