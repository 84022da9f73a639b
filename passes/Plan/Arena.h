// Packs buffers with live ranges into one arena, with sizes that are polynomials over named dimensions.
#ifndef LATHE_PASSES_PLAN_ARENA_H
#define LATHE_PASSES_PLAN_ARENA_H

#include "dialects/Lathe/IR/Dims.h"
#include <vector>

namespace lathe {

struct Allocation {
  Dim size;             // bytes
  uint64_t first, last; // positions between which it is live, both included
  Dim offset;           // set by packArena, a multiple of 64 for any dimensions
};

struct Arena {
  Dim size; // bytes
  Dim live; // bytes: the sum over regions of the largest set of buffers that are live at once, which no packing can undercut
};

/// Sets the offsets and returns the arena's size. Buffers whose sizes are multiples of the same unit, such as a product of
/// names, share a region. There they are placed one after the other, largest first, each at the lowest offset that is free
/// during its live range. Unless that reaches the largest live set, other orders are tried, and the smallest packing is used.
/// Alignment adds at most an eighth to a buffer, or a number of bytes that does not depend on the named dimensions.
Arena packArena(std::vector<Allocation> &allocations);

/// Returns the largest live set as packArena does, without packing.
Dim largestLiveSet(const std::vector<Allocation> &allocations);

} // namespace lathe

#endif
