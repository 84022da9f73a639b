// Numbers by which fusion decides, with what decided them. None of them changes a bit of a result.
#ifndef LATHE_PASSES_FUSION_TUNING_H
#define LATHE_PASSES_FUSION_TUNING_H

#include <cstddef>
#include <cstdint>

namespace lathe::tuning {

/// Most members of a cluster: fusion compares a new op with all of them, and LLVM compares those of the loop's body.
inline constexpr size_t kMostMembers = 256;
/// Least elements of a transpose that has a kernel of its own with tiles. With anything fused it reads or computes one side
/// element by element, which takes longer than two kernels from about a thousand elements.
inline constexpr int64_t kLeastTransposed = 1024;
/// Least elements of both sides of such a transpose that stay contiguous, as those of 3 x 3 taps: fewer do not fill a tile.
/// Never varied.
inline constexpr int64_t kLeastTransposedSide = 4;
/// Most elements of a lone row that passes over rows compute. Threads cannot share one row, but reductions of their own share
/// its elements. Never varied.
inline constexpr int64_t kMostOfLoneRow = 16384;
/// Most elements of a row beside which a function of one number for each row is not computed row by row.
inline constexpr int64_t kLongestShortRow = 4;
/// Least items, if their number is known, of a kernel over items: fewer do not fill vectors, where rows of an item might.
inline constexpr int64_t kLeastItems = 64;
/// Most elements of a value for each item, which is code for each of them. More fill vectors of their own.
inline constexpr int64_t kMostElementsOfItem = 64;
/// Most elements that a kernel over items computes for an item. The time that LLVM takes grows faster than they do.
inline constexpr int64_t kMostElementsOfItemKernel = 2048;
/// Longest last dimension of a value that a kernel over a named number of items computes. If there is one item, its elements
/// are computed one by one, where kernels of other forms fill vectors with longer lines.
inline constexpr int64_t kLongestLineOfItem = 8;
/// Least ops of a kernel over items, and least of these that move elements within items. Kernels of other forms, which read
/// and write whole vectors, do as well without these.
inline constexpr size_t kLeastOpsOfItems = 8, kLeastMovesOfItems = 2;

} // namespace lathe::tuning

#endif
