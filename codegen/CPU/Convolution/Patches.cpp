// A block of 8 lines of 9 outputs, padded on all sides, with tiles of up to six pixels. Outputs with the same taps are a
// rectangle: the inner ones, those at each side, and each corner.
//
//   a b b b b b c c d    a, d: one pixel, four panels wide, so that there are enough sums to add to
//   e 1 1 1 1 1 1 2 f    b: a line of five; c: a line of two, two panels wide
//   e 1 1 1 1 1 1 2 f    1: lines of six, a patch of six tiles
//   e 1 1 1 1 1 1 2 f    2, e, f: columns of six lines
//   e 1 1 1 1 1 1 2 f
//   e 1 1 1 1 1 1 2 f
//   e 1 1 1 1 1 1 2 f
//   a b b b b b c c d    of other patches than the first line
//
// The cover takes the least of a rough count of cycles: nearly all tiles have as many sums as the registers hold.
#include "codegen/CPU/Convolution/Patches.h"
#include "llvm/ADT/MapVector.h"

using namespace lathe;
using namespace lathe::cpu;

unsigned PatchParameters::panelsFor(unsigned pixels) const {
  unsigned many = 1;
  auto fits = [&](unsigned columns) { return pixels * columns + std::min(pixels, columns) + 1 <= target.vectorRegisters; };
  while (pixels * many * vectors < target.fmaChains() && panels % (2 * many) == 0 && fits(2 * many * vectors))
    many *= 2;
  return many;
}

// Tiles of several panels read the filter from the second cache. From a sum to the next one in its place a tile waits for the
// latency, and for half a cycle that several units lose to each other.
double PatchParameters::cyclesOf(unsigned pixels) const {
  unsigned many = panelsFor(pixels), columns = many * vectors;
  double fromCache = many > 1 ? double(columns) * target.vectorBytes / target.secondCacheBytesPerCycle : 0;
  return std::max({pixels * columns / double(target.fmaPorts), (pixels + columns) / double(target.loadPorts),
                   target.fmaLatency + 0.5, fromCache}) /
         many;
}

namespace {
/// A grid of tiles whose outputs have the same taps, counted from the corner of a rectangle.
struct Grid {
  unsigned lines, pixels;            // of a tile
  int64_t line, place, down, across; // the first tile, and numbers of tiles
};

/// Lines of outputs of one class, at the same distance in the outputs and in the input.
struct LineGroup {
  int64_t first, step, count, number, base, baseStep;
};

/// Cuts lengths into tiles.
class Cutter {
public:
  Cutter(const PatchParameters &parameters) : parameters(parameters) {}

  /// Returns the cycles of the best tiles for a length of stripes of `wide` pixels.
  double cyclesOf(int64_t length, unsigned wide) { return known(length, wide)[length].cycles; }
  /// Returns the lengths of these tiles, the largest first.
  std::vector<unsigned> cut(int64_t length, unsigned wide) {
    std::vector<unsigned> sizes;
    for (; length > 0; length -= sizes.back())
      sizes.push_back(known(length, wide)[length].last);
    llvm::sort(sizes, std::greater<>());
    return sizes;
  }

  /// Covers a rectangle: each line from its first output on, and the last few columns from top to bottom.
  std::vector<Grid> cover(int64_t lines, int64_t places) {
    int64_t columns = 0;
    double least = 0;
    for (int64_t width = 0; width <= std::min<int64_t>(parameters.rows, places); ++width) {
      double cycles = lines * cyclesOf(places - width, 1) + (width ? cyclesOf(lines, width) : 0);
      if (width == 0 || cycles < least - 1e-6) {
        least = cycles;
        columns = width;
      }
    }
    std::vector<Grid> grids;
    int64_t place = 0;
    for (unsigned size : cut(places - columns, 1)) {
      if (!grids.empty() && grids.back().pixels == size)
        ++grids.back().across;
      else
        grids.push_back({1, size, 0, place, lines, 1});
      place += size;
    }
    if (columns == 0)
      return grids;
    int64_t line = 0;
    size_t first = grids.size();
    for (unsigned size : cut(lines, columns)) {
      if (grids.size() > first && grids.back().lines == size)
        ++grids.back().down;
      else
        grids.push_back({size, unsigned(columns), line, place, 1, 1});
      line += size;
    }
    return grids;
  }

private:
  struct Cut {
    double cycles = 0;
    unsigned last = 0; // length of the last tile
  };

  /// Returns the best tiles for each length up to this one.
  const std::vector<Cut> &known(int64_t length, unsigned wide) {
    std::vector<Cut> &cuts = cutsOf[wide];
    if (cuts.empty())
      cuts.emplace_back();
    while (int64_t(cuts.size()) <= length) {
      Cut best;
      int64_t left = cuts.size();
      for (unsigned size = std::min<int64_t>(parameters.rows / wide, left); size > 0; --size) {
        double cycles = cuts[left - size].cycles + parameters.cyclesOf(size * wide);
        if (!best.last || cycles < best.cycles - 1e-6)
          best = {cycles, size};
      }
      cuts.push_back(best);
    }
    return cuts;
  }

  const PatchParameters &parameters;
  std::map<unsigned, std::vector<Cut>> cutsOf; // by width
};

class PatchBuilder {
public:
  PatchBuilder(const ConvolutionShape &shape, const TapTable &table, const PatchParameters &parameters)
      : shape(shape), table(table), parameters(parameters), cutter(parameters) {}

  std::optional<Patches> build() {
    int64_t width = shape.dims.back().output, lines = shape.outputPlaces() / width;
    int64_t blockLines = std::min(parameters.blockLines, lines), blockPlaces = std::min(parameters.blockPlaces, width);
    std::vector<int32_t> heads;
    for (int64_t line = 0; line < lines; line += blockLines)
      for (int64_t place = 0; place < width; place += blockPlaces) {
        addBlock(heads, line, std::min(line + blockLines, lines), place, std::min(place + blockPlaces, width));
        if (int64_t(patchWords.size()) > TapTable::kMostWords)
          return std::nullopt;
      }
    result.blocks = heads.size() / Patches::kBlockWords;
    result.patches = heads.size();
    result.words = std::move(heads);
    llvm::append_range(result.words, patchWords);
    if (parameters.ordersSums)
      addOrders();
    return std::move(result);
  }

private:
  using Words = std::array<int32_t, Patches::kPatchWords>;

  void addBlock(std::vector<int32_t> &heads, int64_t firstLine, int64_t endLine, int64_t firstPlace, int64_t endPlace) {
    std::vector<Words> narrow, wide;
    for (const LineGroup &group : groupLines(firstLine, endLine))
      for (int64_t segment = 0; segment < table.segmentCount; ++segment)
        addRectangle(group, segment, firstPlace, endPlace, narrow, wide);
    heads.push_back(patchWords.size() / Patches::kPatchWords);
    heads.push_back(heads.back() + narrow.size());
    heads.push_back(heads.back() + wide.size());
    int64_t outputs = 0;
    for (std::vector<Words> *list : {&narrow, &wide})
      for (Words &words : *list) {
        words[Patches::kFirstSum] = outputs;
        outputs += int64_t(words[Patches::kDown]) * words[Patches::kAcross] * words[Patches::kLines] * words[Patches::kPixels];
        patchWords.insert(patchWords.end(), words.begin(), words.end());
      }
    heads.push_back(outputs);
    result.mostOutputs = std::max(result.mostOutputs, outputs);
    if (parameters.ordersSums) {
      llvm::append_range(narrow, wide);
      orders.push_back(orderOf(narrow, firstLine, firstPlace, endPlace - firstPlace, outputs));
    }
  }

  /// Returns the numbers of a block's sums line by line.
  std::vector<int32_t> orderOf(llvm::ArrayRef<Words> patchesOfBlock, int64_t firstLine, int64_t firstPlace, int64_t places,
                               int64_t outputs) const {
    std::vector<int32_t> order(outputs);
    int64_t step = shape.dims.back().outputStep();
    for (const Words &words : patchesOfBlock) {
      int64_t number = words[Patches::kFirstSum], pixels = words[Patches::kPixels];
      for (int64_t down = 0; down < words[Patches::kDown]; ++down)
        for (int64_t across = 0; across < words[Patches::kAcross]; ++across)
          for (int64_t inTile = 0; inTile < words[Patches::kLines]; ++inTile)
            for (int64_t pixel = 0; pixel < pixels; ++pixel, ++number) {
              int64_t line = words[Patches::kFirstLine] + (down * words[Patches::kLines] + inTile) * words[Patches::kLineStep];
              int64_t place = words[Patches::kFirstPlace] + (across * pixels + pixel) * step;
              order[(line - firstLine) * places + place - firstPlace] = number;
            }
    }
    return order;
  }

  /// Appends the lists of the blocks' sums; equal blocks share one.
  void addOrders() {
    std::map<std::vector<int32_t>, int64_t> known;
    result.orders = result.words.size();
    result.words.resize(result.orders + result.blocks);
    for (auto [block, order] : llvm::enumerate(orders)) {
      auto [place, isNew] = known.emplace(order, result.words.size());
      if (isNew)
        llvm::append_range(result.words, order);
      result.words[result.orders + block] = place->second;
    }
  }

  /// Groups the lines [first, end) of outputs by class, where they are at equal distances.
  std::vector<LineGroup> groupLines(int64_t first, int64_t end) const {
    llvm::MapVector<int64_t, std::vector<LineGroup>> groups; // by class
    for (int64_t line = first; line < end; ++line) {
      int64_t number = 0, base = 0, left = line;
      for (size_t d = shape.dims.size() - 1; d-- > 0; left /= shape.dims[d].output) {
        int64_t at = table.places[d] + 2 * (left % shape.dims[d].output);
        number += table.words[at];
        base += table.words[at + 1];
      }
      std::vector<LineGroup> &known = groups[number];
      if (!known.empty()) {
        LineGroup &last = known.back();
        int64_t step = line - (last.first + (last.count - 1) * last.step);
        int64_t baseStep = base - (last.base + (last.count - 1) * last.baseStep);
        if (last.count == 1 || (step == last.step && baseStep == last.baseStep)) {
          last.step = step, last.baseStep = baseStep;
          ++last.count;
          continue;
        }
      }
      known.push_back({line, 1, 1, number, base, 0});
    }
    std::vector<LineGroup> all;
    for (auto &[number, known] : groups)
      llvm::append_range(all, known);
    return all;
  }

  /// Covers the outputs of a segment in a group of lines, as far as they are in [firstPlace, endPlace).
  void addRectangle(const LineGroup &group, int64_t segment, int64_t firstPlace, int64_t endPlace, std::vector<Words> &narrow,
                    std::vector<Words> &wide) {
    const int32_t *words = &table.words[table.segments + 4 * segment];
    int64_t step = shape.dims.back().outputStep(), first = words[0], count = words[1];
    auto before = [&](int64_t place) { // outputs of the segment in front of it
      return std::clamp<int64_t>(llvm::divideCeilSigned(place - first, step), 0, count);
    };
    int64_t low = before(firstPlace), high = before(endPlace);
    if (low == high)
      return;
    for (const Grid &grid : cutter.cover(group.count, high - low)) {
      PatchTile tile{grid.lines, grid.pixels, parameters.panelsFor(grid.lines * grid.pixels),
                     grid.lines > 1 ? group.baseStep : 0};
      int64_t base = group.base + words[3] + grid.line * group.baseStep + (low + grid.place) * table.segmentStride;
      Words patch{};
      patch[Patches::kTile] = numberOf(tile);
      patch[Patches::kClass] = group.number + words[2];
      patch[Patches::kBase] = base;
      patch[Patches::kDown] = grid.down;
      patch[Patches::kAcross] = grid.across;
      patch[Patches::kDownStep] = grid.lines * group.baseStep;
      patch[Patches::kFirstLine] = group.first + grid.line * group.step;
      patch[Patches::kLineStep] = group.step;
      patch[Patches::kFirstPlace] = first + (low + grid.place) * step;
      patch[Patches::kLines] = grid.lines;
      patch[Patches::kPixels] = grid.pixels;
      (tile.panels > 1 ? wide : narrow).push_back(patch);
    }
  }

  int32_t numberOf(const PatchTile &tile) {
    auto known = llvm::find(result.tiles, tile);
    if (known == result.tiles.end())
      known = result.tiles.insert(known, tile);
    return known - result.tiles.begin();
  }

  const ConvolutionShape &shape;
  const TapTable &table;
  const PatchParameters &parameters;
  Cutter cutter;
  std::vector<int32_t> patchWords;
  std::vector<std::vector<int32_t>> orders; // of the sums of each block
  Patches result;
};
} // namespace

std::optional<Patches> Patches::make(const ConvolutionShape &shape, const TapTable &table, const PatchParameters &parameters) {
  return PatchBuilder(shape, table, parameters).build();
}
