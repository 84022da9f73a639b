#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Convolution/FilterParts.h"
#include <numeric>

using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostWords = TapTable::kMostWords;

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
  TapTableBuilder(const ConvolutionShape &shape, std::optional<SumOrder> order)
      : shape(shape), filter(shape, order, /*chunkRows=*/0, kMostWords), chainEnds(filter.endsOfChunks()) {
    table.chains = chainEnds.size();
    table.chainRows = chainEnds.front();
  }

  std::optional<TapTable> build() {
    int64_t classes = 1, most = shape.taps() * 3;
    for (const ConvolutionDim &dim : shape.dims) {
      if (dim.output > kMostWords || dim.output * dim.taps > 16 * kMostWords)
        return std::nullopt;
      parts.emplace_back(dim);
      classes *= parts.back().classes.size();
    }
    if (table.chains > kMostWords || classes * table.chains > kMostWords)
      return std::nullopt;
    if (classes > kMostWords || shape.taps() > kMostWords || classes * most > 4 * kMostWords || !offsetsFit())
      return std::nullopt;
    table.classes = classes;
    addPlaces(classes);
    addLists();
    addSegments();
    if (int64_t(table.words.size()) > kMostWords)
      return std::nullopt;
    return std::move(table);
  }

private:
  bool offsetsFit() const {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    return shape.inputPlaces() * shape.inputPitch() <= most && shape.sumTerms() <= most;
  }

  void addPlaces(int64_t classes) {
    for (size_t d = 0; d < parts.size(); ++d) {
      classes /= parts[d].classes.size(); // the quotient is the radix of this dimension
      radix.push_back(classes);
      table.places.push_back(table.words.size());
      for (auto [number, base] : parts[d].outputs)
        add({number * classes, base * TapTable::inputStride(shape, d)});
    }
  }

  struct Run {
    int64_t input, row, length;
  };

  void addLists() {
    int64_t lists = table.chains * table.classes;
    table.starts = table.words.size();
    table.runs = table.starts + lists + 1;
    std::vector<std::vector<Run>> whole(table.classes);
    for (int64_t number = 0; number < table.classes; ++number)
      collect(whole[number], number, 0, 0, 0);
    std::vector<Run> runs;
    for (int64_t list = 0; list < lists; ++list) {
      add({int64_t(runs.size())});
      int64_t chain = list / table.classes;
      addPart(runs, whole[list % table.classes], chain ? chainEnds[chain - 1] : 0, chainEnds[chain]);
    }
    add({int64_t(runs.size())});
    for (const Run &run : runs) {
      add({run.input, run.row, run.length});
      table.runMultiple = std::gcd(table.runMultiple, run.length);
    }
  }

  /// Appends the parts of some runs that lie in a range of filter rows.
  static void addPart(std::vector<Run> &runs, const std::vector<Run> &all, int64_t low, int64_t high) {
    for (const Run &run : all) {
      int64_t first = std::max(run.row, low), last = std::min(run.row + run.length, high);
      if (first < last)
        runs.push_back({run.input + first - run.row, first, last - first});
    }
  }

  /// Appends all taps of a class in row-major order; taps that are contiguous in both operands are joined.
  void collect(std::vector<Run> &runs, int64_t number, size_t d, int64_t input, int64_t tap) {
    if (d < parts.size()) {
      for (auto [k, place] : parts[d].classes[number / radix[d] % parts[d].classes.size()])
        collect(runs, number, d + 1, input + place * TapTable::inputStride(shape, d), tap * shape.dims[d].taps + k);
      return;
    }
    int64_t row = tap * shape.channels;
    if (!runs.empty()) {
      Run &last = runs.back();
      if (last.input + last.length == input && last.row + last.length == row) {
        last.length += shape.channels;
        return;
      }
    }
    runs.push_back({input, row, shape.channels});
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
  const std::vector<int64_t> &chainEnds; // in rows of the filter
  std::vector<DimClasses> parts;
  llvm::SmallVector<int64_t> radix;
  TapTable table;
};
} // namespace

std::optional<TapTable> TapTable::build(const ConvolutionShape &shape, std::optional<SumOrder> order) {
  return TapTableBuilder(shape, order).build();
}

int64_t TapTable::inputStride(const ConvolutionShape &shape, size_t d) {
  int64_t stride = shape.inputPitch();
  for (size_t i = d + 1; i < shape.dims.size(); ++i)
    stride *= shape.dims[i].input;
  return stride;
}
