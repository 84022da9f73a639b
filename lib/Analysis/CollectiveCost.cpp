#include "lib/Analysis/CollectiveCost.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;

/// Values up to this size travel with the header of a message, in one exchange.
static constexpr double kSmallBytes = 1024;

/// Returns the seconds in which each rank sends `bytes` to each other one.
static double messagesToAll(double bytes, int64_t ranks, const Cluster &cluster) {
  double onNode = std::min(ranks, cluster.ranksPerNode), elsewhere = ranks - onNode;
  double latency = elsewhere > 0 ? std::max(cluster.inside.latency, cluster.between.latency) : cluster.inside.latency;
  double inside = (onNode - 1) * bytes / cluster.inside.bandwidth;
  double between = onNode * elsewhere * bytes / cluster.between.bandwidth;
  return latency + double(ranks - 1) * cluster.message + std::max(inside, between);
}

double lathe::exchangeSeconds(CollectiveOpInterface op, int64_t ranks, const Cluster &cluster, const Sizes &sizes) {
  if (isa<AxisIndexOp>(*op) || ranks < 2)
    return 0;
  double bytes = evaluate(byteSize(op->getOperand(0)), sizes).value_or(0), part = bytes / double(ranks);
  double adding = (bytes + part) / cluster.memory;
  if (isa<AllReduceOp>(*op))
    return bytes <= kSmallBytes ? messagesToAll(bytes, ranks, cluster) + bytes * double(ranks) / cluster.memory
                                : 2 * messagesToAll(part, ranks, cluster) + adding;
  if (isa<ReduceScatterOp>(*op))
    return messagesToAll(part, ranks, cluster) + adding;
  if (isa<AllToAllOp>(*op))
    return messagesToAll(part, ranks, cluster);
  if (isa<CollectivePermuteOp>(*op)) { // one message; ranks at the ends of a node send to another one
    const Link &link = ranks > cluster.ranksPerNode ? cluster.between : cluster.inside;
    return link.latency + cluster.message + bytes / std::min(link.bandwidth, cluster.inside.bandwidth);
  }
  return messagesToAll(bytes, ranks, cluster); // a broadcast's root sends as much as each rank of an all_gather
}
