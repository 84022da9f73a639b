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

// Elements, and reductions that threads share.

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

} // namespace lathe::gpu::tuning

#endif
