// Packs buffers with lifetimes into one arena, sizes being polynomials over named dimensions.
#ifndef LATHE_PASSES_PLAN_ARENA_H
#define LATHE_PASSES_PLAN_ARENA_H

#include "dialects/Lathe/IR/Dims.h"
#include <vector>

namespace lathe {

struct Allocation {
  Dim size;             // bytes
  uint64_t first, last; // positions between which it is live, both included
  Dim offset;           // found by packArena, a multiple of 64 for any dimensions
};

/// Sets the offsets and gives the arena's size. Buffers whose sizes are multiples of the same unit, such as a product of names,
/// share a region of it, in which they are packed by size, largest first, each at the lowest place that is free during its
/// life. What is added to align a buffer is at most an eighth of it, or a number of bytes that does not depend on the named
/// dimensions.
Dim packArena(std::vector<Allocation> &allocations);

} // namespace lathe

#endif
