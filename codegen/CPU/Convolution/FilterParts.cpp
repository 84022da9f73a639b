#include "codegen/CPU/Convolution/FilterParts.h"

using namespace lathe;
using namespace lathe::cpu;

FilterParts::FilterParts(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows, int64_t most) {
  int64_t rows = shape.sumTerms(), row = shape.sumRow(), unit = row;
  if (order)
    unit = std::max<int64_t>(1, order->rowsOfChain(row) * row);
  int64_t chain = !order ? std::max<int64_t>(rows, 1) : row > order->chain ? order->chain : unit;
  chunkRows = chunkRows ? std::min(chunkRows, chain) : chain;
  for (int64_t start = 0, end; start < rows && count() <= most; start = end) {
    int64_t inUnit = order ? start % unit : start, inChain = inUnit % chain;
    int64_t endOfChain = std::min(rows, order ? std::min(start - inUnit + unit, start - inChain + chain) : rows);
    end = std::min(start + chunkRows, endOfChain);
    chunkEnds.push_back(end);
    if (end == endOfChain)
      chainEnds.push_back(chunkEnds.size());
  }
}

std::vector<int32_t> FilterParts::words() const {
  std::vector<int32_t> words{0};
  words.insert(words.end(), chunkEnds.begin(), chunkEnds.end());
  words.push_back(0);
  words.insert(words.end(), chainEnds.begin(), chainEnds.end());
  return words;
}
