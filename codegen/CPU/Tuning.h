// Numbers by which the forms of CPU code choose their schedules, with what decided them. Properties of a CPU are in its
// description (codegen/Points/VectorTarget.h); limits of what an emitter can do are in the emitter. None of these numbers
// changes a bit of a result.
//
// Measurements are of one core with AVX2. A number without a measurement follows from the reason that its comment gives, and
// was never varied.
#ifndef LATHE_CODEGEN_CPU_TUNING_H
#define LATHE_CODEGEN_CPU_TUNING_H

#include <array>
#include <cstdint>

namespace lathe::cpu::tuning {

// Products.

/// Rows of a product for which a tile has all of them and is as wide as the registers allow. A tile of more rows has enough
/// sums of its own.
inline constexpr int64_t kFewRows = 4;
/// Most rows of a product whose tile is chosen by all of its tiles of rows. Of 8 rows, tiles of 6 x 2 leave 2 x 2 sums, which
/// wait for each other; tiles of 4 x 3 take 0.8 of the time.
inline constexpr int64_t kCountedRows = 32;
/// Relative times of a multiply-add in tiles of three vectors or more, of two, and of one: wide tiles load fewer factors for
/// each. Products of constants take 4 % more time with two vectors than with three.
inline constexpr int64_t kWideTileTime = 100, kPairTileTime = 104, kSingleTileTime = 120;
/// Bytes of a packed block of the right operand: half of the smallest first-level cache. Larger caches keep it, because blocks
/// are also for products that map to few cache sets. Gradients of weights take half of the time with blocks.
inline constexpr int64_t kPackedBytes = 16 << 10;
/// Rows that share a packed block. 128x768 by 768x768 takes 2 % less time than with 64.
inline constexpr int64_t kPackedRows = 128;
/// Groups of columns in a work item of a product of bytes. Packing the rows of an item takes a quarter of the time of a group.
inline constexpr int64_t kByteGroups = 4;
/// Least rows of a block that are copied from a left operand whose rows are adjacent: fewer would not pay for the blocks of the
/// right operand. The gradient of 1024x256 weights of 512 rows takes 3.65 ms with copies, without 4.7.
inline constexpr int64_t kLeastPackedRows = 48;
/// Distance in bytes of a column's factors from which they map to few cache sets, so that blocks pay.
inline constexpr int64_t kFarApart = 256;
/// Distance in bytes of the rows of an lhs with adjacent rows from which, at multiples of kFarApart, they crowd the cache
/// together with rhs, and the least products that are then packed. 256 to 768 rows by 64 to 512 columns take 0.82 to 1 of the
/// time in blocks for 128 to 384 products, 64 rows or 96 columns 0.98 to 1.1. With copies of lhs at multiples of
/// kCrowdingBytes, 1024 and 3072 rows take 0.56 to 0.84 of the time for 32 to 384 products.
inline constexpr int64_t kFarRows = 1024, kLeastDepthTogether = 128;
/// Least products that are packed if they crowd the cache (kCrowdingBytes). With rows of 16 KB, 32 to 256 products take 0.65 to
/// 0.75 of the time in blocks, with rows of 4 KB 0.9; where they do not crowd it, 64 to 256 take 1.02 to 1.2 times as long.
inline constexpr int64_t kLeastCrowdedDepth = 32;
/// Least rows that meet all panels before the next rows, so that reading a panel costs little.
inline constexpr int64_t kLeastRowBlock = 256;
/// The most bytes of a right operand that all rows of a block read again, from the second-level cache: then a thread has its
/// own rows, which it wrote itself in the kernel before. Where threads shared columns, of two cores without a common cache, a
/// product of 12544x16 by 16x96 took 1.5 times as long as on one.
inline constexpr int64_t kMostRereadBytes = 256 << 10;
/// Rows of a matrix at a multiple of this distance crowd few sets of the first-level cache: one on x86-64, four in 64 KB of
/// four ways.
inline constexpr int64_t kCrowdingBytes = 4096;
/// Least depth of a product of one row that goes along such rows of the right operand. A step of an LSTM of 256 units takes 0.7
/// of the time.
inline constexpr int64_t kLeastColumnDepth = 64;

/// Most multiply-adds of vectors and most products of a step of a tile's loop. Instructions that only count and address are 6
/// of 26 with one product and 12 multiply-adds, and 2 of 22 with four. A core that shares its decoders with another thread
/// issues some three instructions a cycle, of which two are multiply-adds.
inline constexpr int64_t kMultiplyAddsAtOnce = 48, kProductsAtOnce = 4;
/// Most bytes from one product to the next for which a step has several: the hardware fetches ahead of each load instruction
/// on its own, unless it goes too far at a time. 8x256 by 256x1024, rows 4 KB apart, takes 0.139 ms with one product in a
/// step and 0.179 with four, and 0.2 with fetches 16 products ahead; rows 1 and 2 KB apart take 0.92 of the time with four.
inline constexpr int64_t kMostStepBytes = 2 << 10;
/// Positions that are fetched before they are copied to the stack. Where the distance of positions is large, the hardware
/// does not expect the next one: a gradient of a filter of 32x32 with 64 channels takes 15.7 ms, without fetches 21.
inline constexpr int64_t kFetchedAhead = 16;
/// Most tiles that read a panel of a filter and fetch the next one meanwhile. Each fetches all of it: more tiles spend more
/// instructions on that than they save, for the hardware fetches panels, too.
inline constexpr int64_t kMostFetches = 64;

// Stacks of threads.

/// Most bytes of sums and packed blocks of a product or a convolution.
inline constexpr int64_t kMostStackBytes = 256 << 10;
/// Least taps and least bytes from one position to the next for which the inputs and cotangents of a chain are copied, and the
/// most bytes of these copies, which are for a first-level cache of 32 KB or a little more. 32x32 with 64 channels take 0.8 of
/// the time.
inline constexpr int64_t kLeastPackedTaps = 4, kLeastPackedPitch = 128, kMostPackedGradientBytes = 48 << 10;
/// Bytes of the sums of a block of images that share a copy of some rows of the filter: a part of the second-level cache.
/// 4x4 with 512 channels takes 0.75 of the time with copies: its rows, 2 KB apart, map to few sets of that cache.
inline constexpr int64_t kPackedSumBytes = 64 << 10;
/// Most bytes of sums and copies of a filter's gradient.
inline constexpr int64_t kMostGradientBytes = 128 << 10;
/// Most bytes of the sums of columns, of their chains and of groups.
inline constexpr int64_t kMostColumnBytes = 192 << 10;

// Threads.

/// Operations of a kernel for each of the threads that share it, about 2 us of them: with fewer, claims of pieces and answers
/// take a larger part of a short kernel's time than further threads save. Elements of loops, gathers, transposes and copies
/// take 0.1 to 0.2 ns each; terms of sums and passes over rows 0.05 to 0.1; multiply-adds of tiles 0.025.
inline constexpr int64_t kThreadElements = 16 << 10, kThreadTerms = 32 << 10, kThreadProducts = 64 << 10;

// Loops over elements.

/// Least elements of a known loop that is vectorised.
inline constexpr int64_t kLeastVectorised = 4;
/// Elements of a work item: 16 KB of f32, so that starting one costs little.
inline constexpr int64_t kPieceElements = 4096;
/// Work items that are enough for any number of threads: no more loops are shared.
inline constexpr int64_t kSharedItems = 64;
/// Least elements of a work item, as long as more loops are shared: finding its indices takes the time of some 20 elements.
inline constexpr int64_t kLeastItemElements = 512;
/// Most operations of a sum whose loop is unrolled: with more, mispredicted branches at the ends of chains cost little.
inline constexpr unsigned kShortBody = 12;
/// Steps of an unrolled sum; divides the steps of a chain.
inline constexpr unsigned kStepsAtOnce = 8;
/// Most rows of results whose sums are side by side because they read the same terms, and least work items that are left for
/// threads. On a Zen 4, the gradient of GradBench's k-means by 100 centroids takes 0.64 of the time with 4 rows and AVX-512,
/// and 0.7 with 2 rows and AVX2.
inline constexpr int64_t kMostRowsAtOnce = 4, kLeastRowItems = 16;
/// Operations of an element that fill the execution units without a second vector.
inline constexpr unsigned kLongBody = 64;

/// Instructions that a core issues in a cycle, and those that it has in flight: for cost models of stages. With these numbers,
/// ten elementwise ops with a root, a tanh and an exp take 53 cycles a vector, as measured.
inline constexpr double kIssuedAtOnce = 3, kInFlight = 200;
/// Most stages of a kernel, most ops of a kernel that is divided into stages, and the part of the time that must be left.
inline constexpr size_t kMostStages = 4, kMostStagedOps = 200;
inline constexpr double kStageGain = 0.9;
/// Least cycles from a sum of a product to its results for which two rows are computed at once.
inline constexpr double kLongEpilogue = 40;
/// Points of a block of stages: a few KB of the first-level cache for each value between them.
inline constexpr int64_t kStagedPoints = 512;
/// Instructions that begin the loop over a part of a concatenation, and those that choose one of the parts at a vector of
/// points.
inline constexpr int64_t kPartInstructions = 12, kChoiceInstructions = 4;
/// Least points of a known loop that is divided into stages, since a loop's end is mispredicted.
inline constexpr int64_t kLeastStagedPoints = 128;

// Sums over the first dimension. A sum of 1024 rows of 1024 f32: 4 terms at a time take 71 us, 8 take 81, 16 take 206 (rows
// 4096 bytes apart share a set of the first cache, which has 8 ways). Blocks of 1024 columns take 72 us, of 512 89, of 256 to
// 128 about 100, of 32 (accumulators in registers) 272.

inline constexpr int64_t kTermsAtOnce = 4;
/// Bytes of each row at once. With twice as many, the sum above takes 1.1 times as long on a Zen 5, once terms are fetched
/// ahead.
inline constexpr int64_t kColumnBytesAtOnce = 128;
/// Bytes ahead at which sums fetch terms that the second-level cache cannot hold. On a Zen 5, sums of rows of 4 KB take 0.86 of
/// the time where vectors are not aligned, and 0.98 where they are; 1 to 8 KB are alike.
inline constexpr int64_t kFetchedBytesAhead = 1 << 10;
/// Least terms of a column: with fewer, memory is read about as it lies anyway.
inline constexpr int64_t kLeastTerms = 4 * kTermsAtOnce;
/// Least bytes of a row in a work item: whole cache lines, so that threads do not share them.
inline constexpr int64_t kLeastPieceBytes = 1 << 10;
/// Terms of a work item.
inline constexpr int64_t kPieceTerms = 32 << 10;

// Passes over rows.

/// Most bytes of a row on the stack: two rows in lockstep take half of the smallest first-level cache.
inline constexpr int64_t kRowStackBytes = 8192;
/// Longest row of which two are in lockstep: in longer ones, reductions across lanes take a small part of the time.
inline constexpr int64_t kShortRow = 1024;
/// Vectors in registers from which on a row is long: two rows are then in turn, else four in lockstep. On a Zen 5, softmax of
/// six and eight vectors takes 0.95 and 0.93 of the time that two rows in lockstep take; of three and four vectors of AVX2 0.82
/// and 0.88. Four rows of eight vectors take 1.1 times as long.
inline constexpr int64_t kVectorsOfLongRow = 8;

// Convolutions.

/// Least outputs of an image for tiles whose rows are pixels; with fewer, they are images. The step of a ResNet-18 with 16
/// images of 32 x 32 takes 0.87 to 0.94 of the time with pixels. Layers of 64 channels and 32 images take 1.01 to 1.03 of the
/// time for outputs of 16 x 16 and 8 x 8, and 1.23 for those of 4 x 4.
inline constexpr int64_t kLeastOutputs = 32;
/// Least images of a tile whose rows are images.
inline constexpr unsigned kFewImages = 4;
/// Work items of a convolution below which its blocks are cut, and least outputs of a block that is left.
inline constexpr int64_t kLeastBlocks = 4, kLeastBlockOutputs = 32;
/// Work items of a convolution below which two threads should have as many lines each, and the time of a block beside that of
/// its lines, in lines. With seven blocks of four lines, 28x28 outputs of 128 channels take 0.57 of a thread's time on two;
/// with fourteen of two lines 0.51.
inline constexpr int64_t kBalancedItems = 16;
inline constexpr double kTimeOfBlock = 0.1;
/// Most pixels, and most vectors of channels, of a register tile whose rows are pixels: it is as wide as registers allow.
inline constexpr unsigned kMostPixelRows = 8, kMostTileVectors = 4;
/// Most vectors of channels in a tile of a depthwise convolution.
inline constexpr int64_t kMostLineVectors = 4;
/// Pixels of a tile of a depthwise convolution: enough to hide the latency of multiply-adds, few enough for the registers.
inline constexpr int64_t kMostLinePixels = 8, kLeastLinePixels = 4;
/// Most operations of an epilogue whose code is repeated for all sums of a tile of a depthwise convolution, which then are not
/// stored. A bias and a clamp have 10; with them, 28x28 with 16 to 64 channels take 0.78 to 0.87 of the time.
inline constexpr int64_t kShortEpilogue = 32;
/// Pixels whose inputs stay in registers in the gradient of a depthwise filter, on targets with 32 registers.
inline constexpr int64_t kPixelsAtOnce = 4;
/// Least tiles of columns that threads share, instead of output positions, in a convolution that copies rows of its filter.
/// With 32 tiles of 4x4 outputs, each of two threads copied 9.4 MB, and two were no faster than one.
inline constexpr int64_t kLeastSharedTiles = 16;

// Convolutions by Winograd's filtering (--math=fast).

/// Most tiles of rows, and most filters, of a work item. More squares share the transform of a filter, more filters that of a
/// square.
inline constexpr int64_t kMostWinogradRowTiles = 4, kMostWinogradFilters = 128;
/// Least channels of a block: a vector of any target.
inline constexpr int64_t kLeastWinogradChannels = 16;
/// Rough cycles of a transform for each point of a square and vector, and of a call of a product's tile.
inline constexpr double kCyclesOfWinogradPoint = 2, kCyclesOfTileCall = 25;
/// Most cycles of a convolution that two threads can share, relative to those of one work item. On one thread, cnn16 of one
/// image took 4 % longer with two items of 32 filters, and on two threads a sixth less.
inline constexpr double kMostCyclesOfShared = 1.15;
/// The same of the transform of cotangents.
inline constexpr double kCyclesOfCotangentPoint = 1;
/// Work items of a filter's gradient that should take equal time, as on so many threads.
inline constexpr int64_t kWinogradItems = 2;
/// Groups of squares, as long as their number has a name.
inline constexpr int64_t kManySquares = 16;
/// Most bytes of a work item's arrays on the stack of a thread.
inline constexpr int64_t kMostWinogradBytes = 512 << 10;
/// The same of a filter's gradient, where that leaves a choice: each group of squares passes over all of its sums. With 128
/// channels and filters, 302 KB take 5.6 ms and 449 KB 6.0 to 7.2.
inline constexpr int64_t kMostWinogradGradientBytes = 384 << 10;

// Ops along rows.

/// Columns of a work item if threads do not share rows: 1 KB of f32.
inline constexpr int64_t kPieceColumns = 256;
/// Rows for each update of a scatter up to which all counts of a line are cleared, in vectors. With more, only the counts of
/// rows with updates are.
inline constexpr int64_t kCountsPerUpdate = 64;
/// Vectors of a line at once in a running result along it, as independent chains; 2 to 8 take the same time.
inline constexpr int64_t kVectorsOfLine = 4;
/// Relative times of a step of a running result of some vectors of columns. Sums, maxima, products and recurrences of f32, f64
/// and i64 over 512 columns take 0.58 to 0.84 of the time with 8 vectors instead of 4, and 1.3 to 1.7 with 2.
struct TimeOfScan {
  int64_t vectors, time;
};
inline constexpr std::array<TimeOfScan, 4> kTimesOfScans = {{{1, 29}, {2, 32}, {4, 40}, {8, 50}}};
/// Cache lines of each row of the operand in a block of a transpose between named distances, and the most between known ones.
inline constexpr int64_t kTransposedLines = 2, kMostTransposedLines = 4;
/// Most moves of short lines of a concatenation: the code has no loop over them. Short lines take 0.14 to 0.33 of the time of a
/// loop nest.
inline constexpr int64_t kMostMoves = 64;
/// Elements of a work item of a concatenation whose lines are longer.
inline constexpr int64_t kCopiedElements = 16 << 10;
/// Bytes from which on a part of a concatenation is moved by one instruction, on CPUs where it is fast. On a Zen 5 it takes 0.7
/// of the time of a loop within the second-level cache from 32 KB on, as long with 16 KB, and 1.1 to 1.3 times as long with
/// less.
inline constexpr int64_t kStringMoveBytes = 16 << 10;
/// Rows of a matrix that a factorisation has in registers at once.
inline constexpr int64_t kMatrixRows = 4;
/// Longest line for which counting is faster than a radix sort: lines of 64 take 0.3 of the time.
inline constexpr int64_t kCounted = 64;
/// Longest line for which counting is faster than a sorting network. Lines of 16 take 0.7 of the time, lines of 32 take 2.7
/// times as long, lines of 64 4 times.
inline constexpr int64_t kCountedBeforeNetwork = 24;
/// Longest line for a sorting network, whose work grows with the squared logarithm of the length.
inline constexpr int64_t kNetworked = 1 << 15;
/// Least length of a line for which digits of 11 bits need less time than digits of 8: fewer passes over the line, but a longer
/// histogram.
inline constexpr int64_t kLongLine = 1 << 15;

} // namespace lathe::cpu::tuning

#endif
