// Which inputs every output of a convolution meets, as constants of the module: no code tests for borders.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

/// Outputs with the same taps form a class. A class has a list of runs: `length` neighbouring elements of the input, each with
/// its row of the filter, the next row for the next element. Offsets count elements; the input's begin at the output's base, of
/// the first group.
///
/// The rows of the filter, of which an output's sum takes one after the other, may be cut into chunks: where chains of the sum
/// end, and within a chain so that a chunk stays in the first cache for many outputs. A class then has a list of runs for each
/// chunk as well, list (chunk + 1) * classes + class, and one for each chain, list chainLists + chain * classes + class.
///
/// All of it is one array of words, in which the sections begin where the members say:
///   places[d] + 2 * o   the part of output place o in dimension d of the class number, and of the base
///   starts + l          the index of the first run of list l, of list l + 1 the end; list c is all of class c
///   runs + 3 * r        offset in the input, offset in the filter, length
///   chains + c          the first chunk of chain c of the sum, of chain c + 1 the end
///   segments + 4 * s    neighbours of one class in the last dimension: first output, count, class part, base part;
///                       from one to the next the output moves by outputStep, the base by segmentStride
struct TapTable {
  std::vector<int32_t> words;
  llvm::SmallVector<int64_t> places;
  int64_t classes = 1, chunks = 0, chainLists = 0;
  int64_t starts = 0, runs = 0, chains = 0, segments = 0, segmentCount = 0, segmentStride = 0;

  /// With chunks of at most so many rows of the filter, or (0) only where chains end. Without an order of the sums each is one
  /// chain. Nullopt where the table would be out of proportion.
  static std::optional<TapTable> build(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows = 0);
};

} // namespace lathe::cpu

#endif
