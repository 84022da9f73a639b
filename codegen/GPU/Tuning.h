// Numbers by which the forms of GPU code choose their schedules, with what decided them. Properties of a GPU are in its
// description (codegen/GPU/Target.h); limits of what an emitter can do are in the emitter.
//
// Numbers that decide how threads share a sum decide its bits: they are the same for every GPU, and changing one changes
// results within their bounds. All of them follow from the reasons in their comments: no device has measured them yet.
#ifndef LATHE_CODEGEN_GPU_TUNING_H
#define LATHE_CODEGEN_GPU_TUNING_H

#include <cstdint>

namespace lathe::gpu::tuning {

// Guesses for sizes that are named: a product of several is large, and each is at least several.
inline constexpr int64_t kLargeExtent = 4096, kSeveral = 32;

// Products.

/// Least rows, columns and depth of a product by tensor cores: a smaller one leaves most of an instruction empty.
inline constexpr int64_t kLeastProduct = 4;
/// Rows or columns up to which a tile is flat, 16 by 64.
inline constexpr int64_t kFlatSide = 16;
/// Least bytes of each copy of both operands for large tiles: smaller copies take too many instructions.
inline constexpr unsigned kWideCopy = 8;
/// Rows of tiles in a band: blocks that run at the same time share rows and columns in the second-level cache.
inline constexpr unsigned kBand = 16;
/// Stages of a pipeline of copies, and the blocks that share a multiprocessor, so that one multiplies while the other waits.
/// There are no registers for more.
inline constexpr unsigned kLeastStages = 3, kMostStages = 4, kBlocksTogether = 2;
/// Least rows, columns and depth of a product by warp groups: a tile has no fewer.
inline constexpr int64_t kLeastGroupProduct = 64;
/// Most stages of a ring of TMA copies. More stages hide more of the latency of memory, as far as they fit.
inline constexpr unsigned kMostGroupStages = 6;
/// Time of a tile besides its products, in columns of a tile.
inline constexpr int64_t kGroupTileTime = 32;
/// Least part of the boxes' points that are points of an image. The mma.sync form has this part of the speed of warp groups,
/// but computes no other points.
inline constexpr double kLeastUsed = 0.6;

// Elements, and reductions that threads share.

/// Most points whose reduction is divided among blocks, and the parts of one of named length.
inline constexpr int64_t kMostDividedPoints = 1 << 20, kPartsOfNamed = 32;
/// Most parts that one thread combines in order; a warp combines more.
inline constexpr int64_t kFewParts = 16;
/// Operations of an element, each function counted as so many, that fill the registers without a vector.
inline constexpr unsigned kLongBody = 96, kFunctionOperations = 24;

/// Results from which each thread reduces for itself: they fill a large device.
inline constexpr int64_t kEnoughThreads = 1 << 15;
/// Longest contiguous row for one warp, and least length for a block of 256 threads; others have 64 threads.
inline constexpr int64_t kShortSum = 64, kLongSum = 2048;
/// Loads of a thread in each part of a sum: enough of them are in flight.
inline constexpr int64_t kReadsOfPart = 8;
/// Vectors of a sum that a thread reads before it uses the first.
inline constexpr int64_t kMostReads = 4;
/// Vectors of results of one thread, the registers for their operands, and their operations, which are unrolled.
inline constexpr unsigned kMostSteps = 4, kStepRegisters = 64, kStepOperations = 1024;

// Passes over rows.

/// Threads of a block for rows that one warp has or less, and most threads of a longer row.
inline constexpr int64_t kRowBlock = 128, kMostRowThreads = 512;
/// Vectors of a thread up to which one warp has a row, and vectors of a thread of a longer row.
inline constexpr int64_t kWarpSteps = 8, kRowSteps = 4;
/// Registers of the vectors that a thread keeps, and operations on them, which are unrolled.
inline constexpr int64_t kRowRegisters = 96, kRowOperations = 2048;
/// Most bytes of shared memory in which a row keeps values, as much as on CPUs.
inline constexpr int64_t kRowBytes = 8192;

// Scans.

/// Longest line of one warp.
inline constexpr int64_t kWarpLine = 1024;
/// Most lines that are divided among blocks, the blocks of all of them (two for each multiprocessor), the least elements of a
/// part, and the most parts of a line of named length.
inline constexpr int64_t kFewLines = 64, kScanBlocks = 264, kScanPart = 8192, kNamedParts = 32;
/// Warps for ordered scans (four for each multiprocessor), and the lines of a warp if their number is named.
inline constexpr int64_t kOrderedWarps = 528, kNamedLines = 8;
/// Lines from which each has a thread of its own if adjacent elements belong to different lines, and the longest line for which
/// that is so with fewer lines.
inline constexpr int64_t kEnoughLines = 1 << 12, kThreadLine = 256;

// Scatters.

/// Most updates, or least columns, for which a thread does a column of all updates.
inline constexpr int64_t kFewUpdates = 8, kEnoughColumns = 1 << 15;
/// Blocks that own rows (about four for each multiprocessor); and guesses for the parts and columns of named sizes.
inline constexpr int64_t kOwnerBlocks = 512, kNamedOwners = 16, kNamedColumns = 32;

// Other ops along rows.

/// Largest matrix of cholesky, and largest triangle of a solve, in the registers of one thread, which unrolls all steps.
inline constexpr int64_t kCholeskyInRegisters = 8, kSolveInRegisters = 16;
/// Right-hand sides up to which a block of a solve has only so many.
inline constexpr int64_t kFewRightSides = 8;
/// Most operands of a concatenation from which a thread selects its own.
inline constexpr unsigned kMostConcatenated = 16;

} // namespace lathe::gpu::tuning

#endif
