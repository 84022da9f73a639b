// A constant table of the inputs that every output of a convolution reads, so that no code tests for borders.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

/// Outputs with the same taps form a class. A class has a list of runs. A run is `length` contiguous elements of the input with
/// as many consecutive rows of the filter. Offsets count elements; input offsets are relative to the output's base in the first
/// group.
///
/// An output's sum takes the rows of the filter in order. The rows may be cut into chunks, which end where chains of the sum
/// end and fit the first-level cache. A class then also has a list of runs for each chunk, list (chunk + 1) * classes + class,
/// and for each chain, list chainLists + chain * classes + class.
///
/// The table is one array of words. Its sections begin at the members' indices:
///   places[d] + 2 * o   contribution of output position o in dimension d to the class number, and to the base
///   starts + l          index of the first run of list l; its end is that of list l + 1. List c has all runs of class c
///   runs + 3 * r        offset in the input, offset in the filter, length
///   chains + c          first chunk of chain c of the sum; its end is that of chain c + 1
///   segments + 4 * s    outputs of one class in the last dimension: first output, count, class part, base part;
///                       consecutive outputs are outputStep apart, their bases segmentStride
struct TapTable {
  std::vector<int32_t> words;
  llvm::SmallVector<int64_t> places;
  int64_t classes = 1, chunks = 0, chainLists = 0;
  int64_t starts = 0, runs = 0, chains = 0, segments = 0, segmentCount = 0, segmentStride = 0;

  /// Builds the table with chunks of at most `chunkRows` rows of the filter, or one chunk per chain if that is 0. Without an
  /// order each sum is one chain. Returns nullopt if the table would grow out of proportion.
  static std::optional<TapTable> build(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows = 0);
};

} // namespace lathe::cpu

#endif
