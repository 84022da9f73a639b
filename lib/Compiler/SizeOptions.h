// The texts of --dim, --specialize and --max-steps, which lathec and lathe-run share, and of --shard.
#ifndef LATHE_COMPILER_SIZEOPTIONS_H
#define LATHE_COMPILER_SIZEOPTIONS_H

#include "lathe/CompileOptions.h"

namespace lathe {

/// Reads "N=4" texts into the fixed dimensions, "H=32*h" texts into those that are expressions of others, and "N=1,8,32" texts
/// into the specialised ones; lists for one name join. Returns what is wrong, with the option's name; empty if nothing is.
std::string readSizeOptions(const std::vector<std::string> &dims, const std::vector<std::string> &specialize,
                            CompileOptions &options);

/// The help of --max-steps.
inline constexpr const char *kMaxStepsHelp =
    "Upper bound on the steps of a Loop of an ONNX model that stacks values or carries growing ones and ends on data: N for all "
    "loops, or OUTPUT=N for one; may be repeated";
/// Reads "64" and "y=64" texts. Returns as the above does.
std::string readStepOptions(const std::vector<std::string> &steps, CompileOptions &options);

/// Reads "train_step:N" texts; to be called after the above. Returns as it does.
std::string readShardOptions(const std::vector<std::string> &shards, CompileOptions &options);

} // namespace lathe

#endif
