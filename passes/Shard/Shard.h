// Training steps in two parts, so that several contexts share one: what each does with its examples, and what is done once.
#ifndef LATHE_PASSES_SHARD_SHARD_H
#define LATHE_PASSES_SHARD_SHARD_H

#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>

namespace lathe {

/// `lathe-split-steps`. For each public function named, with its batch dimension, two more beside it, FUNCTION_gradients and
/// FUNCTION_update; the function itself stays as it is. Refuses what cannot be cut so.
std::unique_ptr<mlir::Pass> createSplitStepsPass(std::map<std::string, std::string> shards = {});
void registerShardPasses();

} // namespace lathe

#endif
