// The rows of a convolution's filter, cut where chains of an output's sum end and so that a part stays in the first cache.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FILTERPARTS_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FILTERPARTS_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

inline constexpr int64_t kChunkBytes = 16 << 10; // of a panel of the filter: a part of the first cache
inline constexpr int64_t kSumsBytes = 16 << 10;  // of sums: another part

/// An output's sum takes one row of the filter after the other. Chunks are neighbouring rows, chains neighbouring chunks.
class FilterParts {
public:
  /// Chunks of at most `chunkRows` rows, or (0) one a chain. Without an order the sum is one chain. More chunks than `most` are
  /// not counted.
  FilterParts(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows, int64_t most = 1 << 18);

  int64_t count() const { return chunkEnds.size(); }
  const std::vector<int64_t> &endsOfChunks() const { return chunkEnds; } // in rows
  const std::vector<int64_t> &endsOfChains() const { return chainEnds; } // in chunks

  /// A table: where each chunk begins, then, from `chains()` on, which chunk each chain begins with; ends behind the last ones.
  std::vector<int32_t> words() const;
  int64_t chains() const { return count() + 1; }

private:
  std::vector<int64_t> chunkEnds, chainEnds;
};

} // namespace lathe::cpu

#endif
