// A constant table of the inputs that every output of a convolution reads, so that no code tests for borders.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

/// Outputs with the same taps form a class. A class has a list of runs. A run is `length` contiguous elements of the input with
/// as many consecutive rows of the filter. Input offsets count elements, relative to the output's base in the first group.
///
/// An output's sum takes the rows of the filter in order, chain by chain. Each chain has a list for each class, list
/// chain * classes + class.
///
/// The table is one array of words. Its sections begin at the members' indices:
///   places[d] + 2 * o   contribution of output position o in dimension d to the class number, and to the base
///   starts + l          index of the first run of list l; its end is that of list l + 1
///   runs + 3 * r        offset in the input, row of the filter, length
///   segments + 4 * s    outputs of one class in the last dimension: first output, count, class part, base part;
///                       consecutive outputs are outputStep apart, their bases segmentStride
struct TapTable {
  std::vector<int32_t> words;
  llvm::SmallVector<int64_t> places;
  int64_t classes = 1, chains = 1, chainRows = 0; // rows of the filter in a chain; the last one may have fewer
  int64_t starts = 0, runs = 0, segments = 0, segmentCount = 0, segmentStride = 0;
  int64_t runMultiple = 0; // the largest number that divides the lengths of all runs

  static constexpr int64_t kMostWords = 1 << 18;

  /// Builds the table. Without an order each sum is one chain. Returns nullopt if the table would grow out of proportion.
  static std::optional<TapTable> build(const ConvolutionShape &shape, std::optional<SumOrder> order);

  /// Elements of the input from one position to the next in dimension `d`.
  static int64_t inputStride(const ConvolutionShape &shape, size_t d);
};

} // namespace lathe::cpu

#endif
