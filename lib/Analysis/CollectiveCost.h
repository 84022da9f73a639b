// A model of the time that ranks exchange values, on a cluster whose links are known.
#ifndef LATHE_ANALYSIS_COLLECTIVECOST_H
#define LATHE_ANALYSIS_COLLECTIVECOST_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Sizes.h"

namespace lathe {

/// Time and rate of a way between ranks.
struct Link {
  double latency = 0;   // seconds until the first byte arrives
  double bandwidth = 1; // bytes per second
};

/// Nodes of several ranks each. Ranks on a node exchange values in its memory; a node has one connection to the others, which
/// its ranks share.
struct Cluster {
  int64_t ranksPerNode = 1;
  Link inside;          // of one rank to another one on its node
  Link between;         // of a node to the others
  double message = 0;   // seconds that a rank is busy with sending and receiving a message
  double memory = 10e9; // bytes per second that a rank adds
};

/// Returns the seconds of an exchange over an axis of so many ranks, as the library lathe_mpi does it: each rank sends a
/// message to each other one. A large all_reduce has two such exchanges, of parts. `sizes` has the operand's named dimensions.
double exchangeSeconds(CollectiveOpInterface op, int64_t ranks, const Cluster &cluster, const Sizes &sizes);

} // namespace lathe

#endif
