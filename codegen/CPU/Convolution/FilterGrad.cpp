#include "codegen/CPU/Convolution/FilterGrad.h"
#include "codegen/CPU/Sums/Chains.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostScratch = 128 << 10; // bytes of sums on the stack

/// Elements from one place to the next in dimension d.
int64_t strideOf(const ConvolutionShape &shape, size_t d, int64_t ConvolutionDim::*extent, int64_t channels) {
  for (size_t i = d + 1; i < shape.dims.size(); ++i)
    channels *= shape.dims[i].*extent;
  return channels;
}
int64_t inputStride(const ConvolutionShape &shape, size_t d) {
  return strideOf(shape, d, &ConvolutionDim::input, shape.inputPitch());
}
int64_t outputStride(const ConvolutionShape &shape, size_t d) {
  return strideOf(shape, d, &ConvolutionDim::output, shape.outputPitch());
}
} // namespace

std::optional<FilterGradPlan> FilterGradPlan::make(const ConvolutionShape &shape, const VectorTarget &target,
                                                   unsigned elementBytes) {
  FilterGradPlan plan;
  plan.tile = chooseTile(target, elementBytes, shape.filters);
  // Strips of about one height: sums of fewer rows wait for each other.
  plan.tile.rows = llvm::divideCeil(shape.channels, llvm::divideCeil(shape.channels, plan.tile.rows));
  int64_t width = plan.tile.vectors * plan.tile.lanes;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (shape.taps() * plan.tile.rows * width * elementBytes > kMostScratch || shape.inputPlaces() * shape.inputPitch() > most ||
      shape.outputPlaces() * shape.outputPitch() > most)
    return std::nullopt;
  for (auto [d, dim] : llvm::enumerate(shape.dims)) {
    plan.taps.push_back(plan.words.size());
    for (int64_t k = 0; k < dim.taps; ++k) {
      int64_t first = 0, count = 0, input = 0;
      for (int64_t o = 0; o < dim.output; ++o)
        if (std::optional<int64_t> place = dim.inputPlace(o, k); place && count++ == 0) {
          first = o;
          input = *place;
        }
      for (int64_t word : {first * outputStride(shape, d), count, input * inputStride(shape, d), first})
        plan.words.push_back(int32_t(word));
    }
  }
  plan.groupPieces = llvm::divideCeil(shape.channels, plan.tile.rows) * llvm::divideCeil(shape.filters, width) * shape.taps();
  return plan;
}

namespace {
/// Strips of one height with panels of one width: what one piece of code does.
struct Region {
  int64_t firstChannel, strips, rows;
  int64_t firstFilter, panels, vectors, lastLanes;
};

class FilterGradEmitter {
public:
  FilterGradEmitter(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape, const FilterGradPlan &plan,
                    WordTable words)
      : frame(frame), eval(frame.eval), op(op), shape(shape), plan(plan), words(words), tile(plan.tile),
        element(cast<RankedTensorType>(op.getType()).getElementType()),
        chains(frame, kProductOrder, element, dimsOf(op.getInput())[0] * Dim(shape.outputPlaces()), Dim(shape.gradientRow())),
        width(tile.vectors * tile.lanes), taps(shape.taps()), sums(frame.stack(element, taps * tile.rows * width)) {
    if (!chains.areOneGroup())
      totals = frame.stack(element, taps * tile.rows * width);
  }

  void emit() {
    int64_t pieces = plan.groupPieces;
    frame.loop(frame.divide(frame.begin, pieces), frame.divideUp(frame.end, pieces), 1, [&](Value number) {
      group = number;
      Value first = eval.mul(group, eval.i64(pieces));
      begin = frame.max(eval.sub(frame.begin, first), eval.i64(0));
      end = eval.min(eval.sub(frame.end, first), eval.i64(pieces));
      emitGroup();
    });
  }

private:
  void emitGroup() {
    int64_t offset = 0;
    auto addStrips = [&](int64_t firstChannel, int64_t strips, int64_t rows) {
      int64_t full = shape.filters / width, rest = shape.filters % width;
      auto add = [&](int64_t firstFilter, int64_t panels, int64_t vectors, int64_t lastLanes) {
        if (strips == 0 || panels == 0)
          return;
        emitRegion({firstChannel, strips, rows, firstFilter, panels, vectors, lastLanes}, offset);
        offset += strips * panels * taps;
      };
      add(0, full, tile.vectors, tile.lanes);
      int64_t vectors = llvm::divideCeil(rest, tile.lanes);
      add(full * width, rest ? 1 : 0, vectors, rest - (vectors - 1) * tile.lanes);
    };
    int64_t strips = shape.channels / tile.rows, rest = shape.channels % tile.rows;
    addStrips(0, strips, tile.rows);
    addStrips(strips * tile.rows, rest ? 1 : 0, rest);
  }

  /// The pieces of a region among those to do: `offset` is the number of its first.
  void emitRegion(const Region &region, int64_t offset) {
    int64_t size = region.strips * region.panels * taps;
    auto clip = [&](Value piece) {
      return eval.min(frame.max(eval.sub(piece, eval.i64(offset)), eval.i64(0)), eval.i64(size));
    };
    Value low = clip(begin), high = clip(end);
    frame.loop(frame.divide(low, taps), frame.divideUp(high, taps), 1, [&](Value tileIndex) {
      Value firstPiece = eval.mul(tileIndex, eval.i64(taps));
      Value firstTap = frame.max(eval.sub(low, firstPiece), eval.i64(0));
      Value lastTap = eval.min(eval.sub(high, firstPiece), eval.i64(taps));
      Value strip = frame.divide(tileIndex, region.panels), panel = frame.remainder(tileIndex, region.panels);
      Value channel = eval.add(eval.mul(strip, eval.i64(region.rows)), eval.i64(region.firstChannel));
      Value column = eval.add(eval.mul(panel, eval.i64(width)), eval.i64(region.firstFilter));
      Panel columns{eval.add(column, eval.mul(group, eval.i64(shape.filters))), unsigned(region.vectors), region.lastLanes};
      addChains(region, columns, channel, firstTap, lastTap);
      finish(region, columns, channel, firstTap, lastTap);
    });
  }

  /// Returns the address of the sums of a tap's row.
  Value sumsAt(const Region &region, Value tap, Value row) {
    Value index = eval.add(eval.mul(tap, eval.i64(region.rows)), row);
    return frame.at(sums, element, eval.mul(index, eval.i64(region.vectors * tile.lanes)));
  }

  /// The sums of some taps, which take turns: what a chain reads stays in the caches meanwhile.
  void addChains(const Region &region, const Panel &panel, Value channel, Value firstTap, Value lastTap) {
    chains.forEach(
        [&](Value chain, Value isFirst) {
          Places places = placesOf(chain);
          frame.loop(firstTap, lastTap, 1, [&](Value tap) { addChain(region, panel, channel, tap, places, isFirst); });
        },
        [&](Value group, Value groups) {
          Value vectors = eval.mul(eval.sub(lastTap, firstTap), eval.i64(region.rows * region.vectors));
          Value first = sumsAt(region, firstTap, eval.i64(0));
          addGroup(frame, VectorType::get(tile.lanes, element), first, totals, vectors, group, groups);
        });
  }

  /// The output places of a chain: lines of the last dimension, counted over all images, and the places in each of them.
  struct Places {
    Value firstLine, endLine, low, high;
  };
  Places placesOf(Value chain) {
    int64_t row = shape.gradientRow();
    auto [start, length] = chains.terms(chain);
    Value line = frame.divide(start, row);
    if (row <= kProductOrder.chain)
      return {line, frame.divide(eval.add(start, length), row), eval.i64(0), eval.i64(row)};
    Value low = frame.remainder(start, row);
    return {line, eval.add(line, eval.i64(1)), low, eval.add(low, length)};
  }

  /// Adds a chain to the sums of one tap. It is in registers meanwhile.
  void addChain(const Region &region, const Panel &panel, Value channel, Value tap, const Places &places, Value isFirst) {
    eval.lanes = tile.lanes;
    unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    Value x =
        frame.at(frame.buffers.lookup(op.getInput()), element, eval.add(channel, eval.mul(group, eval.i64(shape.channels))));
    Value y = frame.at(frame.buffers.lookup(op.getOutput()), element, panel.first);
    SmallVector<Meeting> meetings;
    for (auto [d, k] : llvm::enumerate(unravel(tap))) {
      Value word = eval.mul(k, eval.i64(4));
      y = frame.at(y, element, words(word, plan.taps[d]));
      x = frame.at(x, element, words(word, plan.taps[d] + 2));
      meetings.push_back({words(word, plan.taps[d] + 3), words(word, plan.taps[d] + 1)});
    }
    int64_t linesOfImage = shape.outputPlaces() / shape.gradientRow();
    KernelFrame::Carry sum(region.rows * region.vectors, eval.splat(eval.constant(element, 0)));
    Value firstImage = frame.divide(places.firstLine, linesOfImage), endImage = frame.divideUp(places.endLine, linesOfImage);
    sum = frame.loop(firstImage, endImage, sum, [&](Value n, ValueRange carried) {
      Value xn = frame.at(x, element, eval.mul(n, eval.i64(shape.inputPlaces() * shape.inputPitch())));
      Value yn = frame.at(y, element, eval.mul(n, eval.i64(shape.outputPlaces() * shape.outputPitch())));
      return overOutputs(region, panel, meetings, 0, linesOf(places, n, linesOfImage), xn, yn, carried);
    });
    Value at = sumsAt(region, tap, eval.i64(0));
    auto store = [&](bool adds) {
      for (auto [i, value] : llvm::enumerate(sum)) {
        Value to = frame.at(at, element, int64_t(i) * tile.lanes), total = value;
        if (adds) {
          Value before = LLVM::LoadOp::create(frame.b, frame.loc, value.getType(), to, bytes);
          total = arith::AddFOp::create(frame.b, frame.loc, before, value);
        }
        LLVM::StoreOp::create(frame.b, frame.loc, total, to, bytes);
      }
    };
    chains.areOne() ? store(false) : frame.choose(isFirst, [&] { store(false); }, [&] { store(true); });
  }

  /// Returns the lines of [first, last) that lie at place `o` of an outer dimension, each place of which has `lines`.
  Places linesOf(const Places &places, Value o, int64_t lines) {
    Value origin = eval.mul(o, eval.i64(lines));
    auto clip = [&](Value line) { return eval.min(frame.max(eval.sub(line, origin), eval.i64(0)), eval.i64(lines)); };
    return {clip(places.firstLine), clip(places.endLine), places.low, places.high};
  }

  /// The tap in every dimension.
  SmallVector<Value> unravel(Value tap) {
    SmallVector<Value> result(shape.dims.size());
    for (size_t d = shape.dims.size(); d-- > 0;) {
      result[d] = d ? frame.remainder(tap, shape.dims[d].taps) : tap;
      tap = d ? frame.divide(tap, shape.dims[d].taps) : tap;
    }
    return result;
  }

  /// The outputs of a dimension that meet inputs through the tap: the first one, and how many.
  struct Meeting {
    Value first, count;
  };

  KernelFrame::Carry overOutputs(const Region &region, const Panel &panel, ArrayRef<Meeting> meetings, size_t d,
                                 const Places &places, Value x, Value y, ValueRange totals) {
    if (d == meetings.size())
      return step(region, panel, x, y, totals);
    const ConvolutionDim &dim = shape.dims[d];
    const bool isLine = d + 1 == meetings.size();
    int64_t lines = 1;
    for (size_t i = d + 1; i + 1 < meetings.size(); ++i)
      lines *= shape.dims[i].output;
    Value low = isLine ? places.low : frame.divide(places.firstLine, lines);
    Value high = isLine ? places.high : frame.divideUp(places.endLine, lines);
    auto before = [&](Value output) { // as many meetings lie before it
      Value behind = frame.max(eval.sub(output, meetings[d].first), eval.i64(0));
      return eval.min(frame.divideUp(behind, dim.outputStep()), meetings[d].count);
    };
    const bool isWhole = isLine && shape.gradientRow() <= kProductOrder.chain;
    Value from = isWhole ? eval.i64(0) : before(low), to = isWhole ? meetings[d].count : before(high);
    return frame.loop(from, to, totals, [&](Value i, ValueRange carried) {
      Value xi = frame.at(x, element, eval.mul(i, eval.i64(dim.inputStep() * inputStride(shape, d))));
      Value yi = frame.at(y, element, eval.mul(i, eval.i64(dim.outputStep() * outputStride(shape, d))));
      if (isLine)
        return overOutputs(region, panel, meetings, d + 1, places, xi, yi, carried);
      Value output = eval.add(meetings[d].first, eval.mul(i, eval.i64(dim.outputStep())));
      return overOutputs(region, panel, meetings, d + 1, linesOf(places, output, lines), xi, yi, carried);
    });
  }

  /// One output place: an outer product of the strip's channels of the input and the panel's of the output.
  KernelFrame::Carry step(const Region &region, const Panel &panel, Value x, Value y, ValueRange totals) {
    SmallVector<Value> columns;
    for (unsigned v = 0; v < panel.vectors; ++v) {
      VectorScope scope(frame, tile, panel, v);
      columns.push_back(frame.loadLanes(frame.at(y, element, v * tile.lanes), element));
    }
    KernelFrame::Carry next;
    for (int64_t row = 0; row < region.rows; ++row) {
      Value factor = eval.splat(frame.loadOne(frame.at(x, element, row), element));
      for (unsigned v = 0; v < panel.vectors; ++v)
        next.push_back(frame.multiplyAdd(factor, columns[v], totals[row * panel.vectors + v]));
    }
    return next;
  }

  /// The kernel's results from the sums of some taps.
  void finish(const Region &region, const Panel &panel, Value channel, Value firstTap, Value lastTap) {
    frame.loop(firstTap, lastTap, 1, [&](Value tap) {
      frame.loop(eval.i64(0), eval.i64(region.rows), 1, [&](Value row) {
        eval.nextPoint();
        SmallVector<Index> place;
        for (Value k : unravel(tap))
          place.push_back(eval.uniform(k));
        place.push_back(eval.uniform(eval.add(channel, row)));
        place.push_back({});
        finishPanel(frame, tile, panel, op.getResult(), sumsAt(region, tap, row), place);
      });
    });
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvFilterGradOp op;
  const ConvolutionShape &shape;
  const FilterGradPlan &plan;
  WordTable words;
  TileShape tile;
  Type element;
  Chains chains;
  int64_t width, taps;
  Value group, begin, end; // and its pieces to do
  Value sums, totals;      // on the stack: [taps][rows][vectors], and of all groups of chains
};
} // namespace

void lathe::cpu::emitFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                                const FilterGradPlan &plan, WordTable words) {
  FilterGradEmitter(frame, op, shape, plan, words).emit();
}
