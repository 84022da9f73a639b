// Which inputs every output of a convolution meets, as constants of the module: no code tests for borders.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TAPTABLE_H

#include "codegen/CPU/Convolution/Shape.h"

namespace lathe::cpu {

/// Outputs with the same taps form a class. A class has a list of runs: `length` neighbouring elements of the input, each with
/// its row of the filter, the next row for the next element. Offsets count elements; the input's begin at the output's base, of
/// the first group.
///
/// All of it is one array of words, in which the sections begin where the members say:
///   places[d] + 2 * o   the part of output place o in dimension d of the class number, and of the base
///   starts + c          the index of the first run of class c; of class c + 1 the end
///   runs + 3 * r        offset in the input, offset in the filter, length
///   segments + 4 * s    neighbours of one class in the last dimension: first output, count, class part, base part;
///                       from one to the next the output moves by outputStep, the base by segmentStride
struct TapTable {
  std::vector<int32_t> words;
  llvm::SmallVector<int64_t> places;
  int64_t starts = 0, runs = 0, segments = 0, segmentCount = 0, segmentStride = 0;

  /// Nullopt where the table would be out of proportion.
  static std::optional<TapTable> build(const ConvolutionShape &shape);
};

} // namespace lathe::cpu

#endif
