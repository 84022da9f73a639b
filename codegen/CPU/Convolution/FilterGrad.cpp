#include "codegen/CPU/Convolution/FilterGrad.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostScratch = 128 << 10; // bytes of sums on the stack
constexpr int64_t kBlockBytes = 384 << 10;  // of both operands, to be read once a tap: a part of the second cache
constexpr int64_t kLineBytes = 64;

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
      for (int64_t word : {first * outputStride(shape, d), count, input * inputStride(shape, d)})
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
        element(cast<RankedTensorType>(op.getType()).getElementType()), images(eval.extent(dimsOf(op.getInput())[0])),
        width(tile.vectors * tile.lanes), taps(shape.taps()), sums(frame.stack(element, taps * tile.rows * width)) {}

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
      clear(region, firstTap, lastTap);
      int64_t block = imagesPerBlock();
      frame.loop(eval.i64(0), images, block, [&](Value image) {
        Value end = eval.min(eval.add(image, eval.i64(block)), images);
        frame.loop(firstTap, lastTap, 1, [&](Value tap) { accumulate(region, columns, channel, tap, image, end); });
      });
      finish(region, columns, channel, firstTap, lastTap);
    });
  }

  int64_t imagesPerBlock() const {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    auto touched = [&](int64_t used, int64_t all) {
      return std::min(llvm::alignTo(used * bytes, kLineBytes), uint64_t(all * bytes));
    };
    int64_t image = shape.inputPlaces() * touched(tile.rows, shape.inputPitch()) +
                    shape.outputPlaces() * touched(width, shape.outputPitch());
    return std::max<int64_t>(1, kBlockBytes / image);
  }

  /// Where the sums of a tap's row lie.
  Value sumsAt(Value tap, Value row) {
    Value index = eval.add(eval.mul(tap, eval.i64(tile.rows)), row);
    return frame.at(sums, element, eval.mul(index, eval.i64(width)));
  }

  void clear(const Region &region, Value firstTap, Value lastTap) {
    eval.lanes = tile.lanes;
    Value zeros = eval.splat(eval.constant(element, 0));
    frame.loop(eval.mul(firstTap, eval.i64(tile.rows)), eval.mul(lastTap, eval.i64(tile.rows)), 1, [&](Value row) {
      for (int64_t v = 0; v < region.vectors; ++v)
        LLVM::StoreOp::create(frame.b, frame.loc, zeros, frame.at(sumsAt(eval.i64(0), row), element, v * tile.lanes),
                              element.getIntOrFloatBitWidth() / 8);
    });
  }

  /// Adds what images [image, end) give to the sums of one tap: these are in registers meanwhile.
  void accumulate(const Region &region, const Panel &panel, Value channel, Value tap, Value image, Value end) {
    eval.lanes = tile.lanes;
    unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    Value at = sumsAt(tap, eval.i64(0));
    auto place = [&](int64_t row, int64_t v) { return frame.at(at, element, row * width + v * tile.lanes); };
    KernelFrame::Carry totals;
    for (int64_t row = 0; row < region.rows; ++row)
      for (int64_t v = 0; v < region.vectors; ++v)
        totals.push_back(LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), place(row, v), bytes));
    Value x =
        frame.at(frame.buffers.lookup(op.getInput()), element, eval.add(channel, eval.mul(group, eval.i64(shape.channels))));
    Value y = frame.at(frame.buffers.lookup(op.getOutput()), element, panel.first);
    SmallVector<Value> counts;
    for (auto [d, k] : llvm::enumerate(unravel(tap))) {
      Value word = eval.mul(k, eval.i64(3));
      y = frame.at(y, element, words(word, plan.taps[d]));
      counts.push_back(words(word, plan.taps[d] + 1));
      x = frame.at(x, element, words(word, plan.taps[d] + 2));
    }
    totals = frame.loop(image, end, totals, [&](Value n, ValueRange carried) {
      Value xn = frame.at(x, element, eval.mul(n, eval.i64(shape.inputPlaces() * shape.inputPitch())));
      Value yn = frame.at(y, element, eval.mul(n, eval.i64(shape.outputPlaces() * shape.outputPitch())));
      return overOutputs(region, panel, counts, 0, xn, yn, carried);
    });
    for (int64_t row = 0; row < region.rows; ++row)
      for (int64_t v = 0; v < region.vectors; ++v)
        LLVM::StoreOp::create(frame.b, frame.loc, totals[row * region.vectors + v], place(row, v), bytes);
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

  KernelFrame::Carry overOutputs(const Region &region, const Panel &panel, ArrayRef<Value> counts, size_t d, Value x, Value y,
                                 ValueRange totals) {
    if (d == counts.size())
      return step(region, panel, x, y, totals);
    const ConvolutionDim &dim = shape.dims[d];
    return frame.loop(eval.i64(0), counts[d], totals, [&](Value i, ValueRange carried) {
      Value xi = frame.at(x, element, eval.mul(i, eval.i64(dim.inputStep() * inputStride(shape, d))));
      Value yi = frame.at(y, element, eval.mul(i, eval.i64(dim.outputStep() * outputStride(shape, d))));
      return overOutputs(region, panel, counts, d + 1, xi, yi, carried);
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
        finishPanel(frame, tile, panel, op.getResult(), sumsAt(tap, row), place);
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
  Value images;
  int64_t width, taps;
  Value group, begin, end; // and its pieces to do
  Value sums;              // on the stack: [taps][rows][width]
};
} // namespace

void lathe::cpu::emitFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                                const FilterGradPlan &plan, WordTable words) {
  FilterGradEmitter(frame, op, shape, plan, words).emit();
}
