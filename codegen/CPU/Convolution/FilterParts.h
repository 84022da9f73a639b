// Chunks of a convolution's filter: they end where the chains of an output's sum end, and fit the first-level cache.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FILTERPARTS_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FILTERPARTS_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

/// An output's sum takes the rows of the filter in order. Chunks are consecutive rows, chains are consecutive chunks.
class FilterParts {
public:
  /// Cuts the filter into chunks of at most `chunkRows` rows, or one chunk per chain if that is 0. Without an order the sum is
  /// one chain. Stops after more than `most` chunks.
  FilterParts(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows, int64_t most = 1 << 18);

  int64_t count() const { return chunkEnds.size(); }
  const std::vector<int64_t> &endsOfChunks() const { return chunkEnds; } // in rows
  const std::vector<int64_t> &endsOfChains() const { return chainEnds; } // in chunks

  /// Returns a table of the first row of each chunk, followed, from index `chains()`, by the first chunk of each chain. Both
  /// lists end with the end of their last entry.
  std::vector<int32_t> words() const;
  int64_t chains() const { return count() + 1; }

private:
  std::vector<int64_t> chunkEnds, chainEnds;
};

} // namespace lathe::cpu

#endif
