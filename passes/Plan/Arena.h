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

/// Sets the offsets and returns the arena's size. Buffers whose sizes are multiples of the same unit, such as a product of
/// names, share a region. There they are packed by size, largest first, each at the lowest offset that is free during its live
/// range. Alignment adds at most an eighth to a buffer, or a number of bytes that does not depend on the named dimensions.
Dim packArena(std::vector<Allocation> &allocations);

} // namespace lathe

#endif
