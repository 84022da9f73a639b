// Splits training steps in two parts, so that several contexts share one step.
#ifndef LATHE_PASSES_SHARD_SHARD_H
#define LATHE_PASSES_SHARD_SHARD_H

#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Shard/Shard.h.inc"

/// The same pass with the batch dimension of each function to split, by the function's name.
std::unique_ptr<mlir::Pass> createSplitStepsPass(std::map<std::string, std::string> shards);

/// Names the dimension of its inputs by which the ranks of an axis divide a step.
struct RankShard {
  std::string batch, axis;
};

/// The same pass with the steps to divide, by the function's name, and the sizes of axes that are known.
std::unique_ptr<mlir::Pass> createAverageGradientsPass(std::map<std::string, RankShard> shards,
                                                       std::map<std::string, int64_t> axes);

} // namespace lathe

#endif
