// The time that a step is expected to take on the ranks of a cluster, for lathec --cluster.
#ifndef LATHE_COMPILER_RANKTIMES_H
#define LATHE_COMPILER_RANKTIMES_H

#include "lib/Analysis/CollectiveCost.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>
#include <vector>

namespace lathe {

/// The description in a file of --cluster.
struct ClusterFile {
  Cluster cluster;
  std::vector<int64_t> ranks = {8, 64, 1024};
  Sizes sizes;                               // of named dimensions, on each rank
  std::map<std::string, double> stepSeconds; // of functions, measured on one rank; others are estimated
};

/// Reads a file of --cluster. Returns what is wrong with it, or an empty string.
std::string readCluster(const std::string &path, ClusterFile &file);

/// Explains for each function with collectives how long it is expected to take on so many ranks, and how much of that are
/// exchanges that no kernel hides. The module has been planned.
void explainRankTimes(mlir::ModuleOp module, const ClusterFile &file);

} // namespace lathe

#endif
