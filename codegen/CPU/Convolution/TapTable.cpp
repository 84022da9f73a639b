#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Convolution/FilterParts.h"

using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostWords = 1 << 18;

/// Pairs of a tap that reads an input, and the distance of that input from the base in positions.
using Taps = std::vector<std::pair<int64_t, int64_t>>;

/// The outputs of one dimension, classified by their taps.
struct DimClasses {
  std::vector<Taps> classes;
  std::vector<std::pair<int64_t, int64_t>> outputs; // class, base

  explicit DimClasses(const ConvolutionDim &dim) {
    std::map<Taps, int64_t> known;
    for (int64_t o = 0; o < dim.output; ++o) {
      Taps taps;
      int64_t base = 0;
      for (int64_t k = 0; k < dim.taps; ++k)
        if (std::optional<int64_t> place = dim.inputPlace(o, k)) {
          if (taps.empty())
            base = *place;
          taps.push_back({k, *place - base});
        }
      auto [it, isNew] = known.emplace(taps, classes.size());
      if (isNew)
        classes.push_back(taps);
      outputs.push_back({it->second, base});
    }
  }
};

class TapTableBuilder {
public:
  TapTableBuilder(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows)
      : shape(shape), filter(shape, order, chunkRows, kMostWords), chunkEnds(filter.endsOfChunks()),
        chainEnds(filter.endsOfChains()) {
    table.chunks = chunkEnds.size() > 1 ? chunkEnds.size() : 0;
  }

  std::optional<TapTable> build() {
    int64_t classes = 1, most = shape.taps() * 3;
    for (const ConvolutionDim &dim : shape.dims) {
      if (dim.output > kMostWords || dim.output * dim.taps > 16 * kMostWords)
        return std::nullopt;
      parts.emplace_back(dim);
      classes *= parts.back().classes.size();
    }
    if (int64_t(chunkEnds.size()) > kMostWords || classes * int64_t(chunkEnds.size() + chainEnds.size()) > kMostWords)
      return std::nullopt;
    if (classes > kMostWords || shape.taps() > kMostWords || classes * most > 4 * kMostWords || !offsetsFit())
      return std::nullopt;
    table.classes = classes;
    addPlaces(classes);
    addLists();
    addChains();
    addSegments();
    if (int64_t(table.words.size()) > kMostWords)
      return std::nullopt;
    return std::move(table);
  }

private:
  void addChains() {
    table.chains = table.words.size();
    add({0});
    for (int64_t end : chainEnds)
      add({end});
  }

  bool offsetsFit() const {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    return shape.inputPlaces() * shape.inputPitch() <= most && shape.taps() * shape.channels * shape.outputPitch() <= most;
  }

  /// Elements from one input position to the next in dimension d.
  int64_t inputStride(size_t d) const {
    int64_t stride = shape.inputPitch();
    for (size_t i = d + 1; i < shape.dims.size(); ++i)
      stride *= shape.dims[i].input;
    return stride;
  }

  void addPlaces(int64_t classes) {
    for (size_t d = 0; d < parts.size(); ++d) {
      classes /= parts[d].classes.size(); // the quotient is the radix of this dimension
      radix.push_back(classes);
      table.places.push_back(table.words.size());
      for (auto [number, base] : parts[d].outputs)
        add({number * classes, base * inputStride(d)});
    }
  }

  struct Run {
    int64_t input, filter, length;
  };

  void addLists() {
    std::vector<std::pair<int64_t, int64_t>> parts = partsOfFilter();
    int64_t lists = (parts.size() + 1) * table.classes;
    table.starts = table.words.size();
    table.runs = table.starts + lists + 1;
    std::vector<std::vector<Run>> whole(table.classes);
    std::vector<Run> runs;
    for (int64_t list = 0; list < lists; ++list) {
      std::vector<Run> &all = whole[list % table.classes];
      add({int64_t(runs.size())});
      if (list < table.classes) {
        collect(all, list, 0, 0, 0);
        llvm::append_range(runs, all);
      } else {
        addPart(runs, all, parts[list / table.classes - 1]);
      }
    }
    add({int64_t(runs.size())});
    for (const Run &run : runs)
      add({run.input, run.filter, run.length});
  }

  /// Returns the row ranges of all chunks, then those of all chains unless each chain is one chunk.
  std::vector<std::pair<int64_t, int64_t>> partsOfFilter() {
    std::vector<std::pair<int64_t, int64_t>> parts;
    for (int64_t chunk = 0; chunk < table.chunks; ++chunk)
      parts.push_back({chunk ? chunkEnds[chunk - 1] : 0, chunkEnds[chunk]});
    table.chainLists = table.classes;
    if (chainEnds.size() <= 1 || chainEnds.size() == chunkEnds.size())
      return parts;
    table.chainLists = (parts.size() + 1) * table.classes;
    for (auto [i, end] : llvm::enumerate(chainEnds))
      parts.push_back({i ? chunkEnds[chainEnds[i - 1] - 1] : 0, chunkEnds[end - 1]});
    return parts;
  }

  /// Appends the parts of some runs that lie in a range of filter rows.
  void addPart(std::vector<Run> &runs, const std::vector<Run> &all, std::pair<int64_t, int64_t> rows) const {
    auto [low, high] = rows;
    int64_t pitch = shape.outputPitch();
    for (const Run &run : all) {
      int64_t row = run.filter / pitch, first = std::max(row, low), last = std::min(row + run.length, high);
      if (first < last)
        runs.push_back({run.input + first - row, first * pitch, last - first});
    }
  }

  /// Appends all taps of a class in row-major order; taps that are contiguous in both operands are joined.
  void collect(std::vector<Run> &runs, int64_t number, size_t d, int64_t input, int64_t tap) {
    if (d < parts.size()) {
      for (auto [k, place] : parts[d].classes[number / radix[d] % parts[d].classes.size()])
        collect(runs, number, d + 1, input + place * inputStride(d), tap * shape.dims[d].taps + k);
      return;
    }
    int64_t filter = tap * shape.channels * shape.outputPitch();
    if (!runs.empty()) {
      Run &last = runs.back();
      if (last.input + last.length == input && last.filter + last.length * shape.outputPitch() == filter) {
        last.length += shape.channels;
        return;
      }
    }
    runs.push_back({input, filter, shape.channels});
  }

  void addSegments() {
    const ConvolutionDim &dim = shape.dims.back();
    const DimClasses &part = parts.back();
    int64_t step = dim.outputStep();
    table.segments = table.words.size();
    table.segmentStride = dim.inputStep() * shape.inputPitch();
    for (int64_t residue = 0; residue < step; ++residue)
      for (int64_t first = residue, next; first < dim.output; first = next) {
        auto [number, base] = part.outputs[first];
        int64_t count = 1;
        auto follows = [&](int64_t o) { // an output without taps reads nothing: any base will do
          auto [other, otherBase] = part.outputs[o];
          return other == number && (part.classes[number].empty() || otherBase == base + count * dim.inputStep());
        };
        for (next = first + step; next < dim.output && follows(next); next += step)
          ++count;
        add({first, count, number * radix.back(), base * shape.inputPitch()});
        ++table.segmentCount;
      }
  }

  void add(std::initializer_list<int64_t> values) {
    for (int64_t value : values)
      table.words.push_back(int32_t(value));
  }

  const ConvolutionShape &shape;
  FilterParts filter;
  const std::vector<int64_t> &chunkEnds, &chainEnds; // in rows of the filter; in chunks
  std::vector<DimClasses> parts;
  llvm::SmallVector<int64_t> radix;
  TapTable table;
};
} // namespace

std::optional<TapTable> TapTable::build(const ConvolutionShape &shape, std::optional<SumOrder> order, int64_t chunkRows) {
  return TapTableBuilder(shape, order, chunkRows).build();
}
