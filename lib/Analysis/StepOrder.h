// Searches an order of a block's steps in which few bytes are live at once.
#ifndef LATHE_ANALYSIS_STEPORDER_H
#define LATHE_ANALYSIS_STEPORDER_H

#include "lib/Analysis/BlockMemory.h"

namespace lathe {

/// Returns an order that keeps all dependencies, with as small a peak as the search finds. Blocks of fewer than 12 steps are
/// searched exactly. Longer ones start with the better of the given order and a greedy one; then single steps, and steps with
/// what they need, are moved while that lowers the peak, or the sum of live bytes at an equal peak, and the search begins again
/// from the best order with some random moves. `effort` says how many times as many orders are tried. Returns the given order
/// if no other one has a lower peak.
/// There is no search if the given order's peak is the bound below.
BlockMemory::Order findOrder(const BlockMemory &memory, size_t effort = 1);

/// Returns a number of bytes below which no order's peak is: the largest, over the steps, of what steps before it in any order
/// make and what it, or a step behind it in any order, reads, and of what it makes itself. The block has a step.
int64_t leastPeak(const BlockMemory &memory);

} // namespace lathe

#endif
