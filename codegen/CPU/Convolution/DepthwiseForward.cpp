#include "codegen/CPU/Convolution/DepthwiseForward.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Sums/Chains.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostPixels = 8;
constexpr int64_t kLeastPixels = 4;
constexpr size_t kMostTiles = 12;       // that differ: each is code of its own
constexpr int64_t kMostSteps = 1 << 12; // of all of them: there is no loop over the taps of a row
constexpr int64_t kMostRows = 1 << 10;  // of the filter: their places are on the stack of a thread
constexpr int64_t kSumBytes = 16 << 10; // on the stack, of as many tiles of a line: a part of the first cache

/// The tile at an output; places count from `origin`.
LineTile tileAt(const ConvolutionDim &dim, int64_t first, int64_t pixels, int64_t origin, bool sharesInputs) {
  LineTile tile{first, pixels, 1, 0, {}};
  for (int64_t tap = 0; tap < dim.taps; ++tap)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      if (std::optional<int64_t> place = dim.inputPlace(first + pixel, tap))
        tile.steps.push_back({*place - origin, pixel, tap});
  if (sharesInputs)
    llvm::stable_sort(tile.steps, [](const LineTile::Step &a, const LineTile::Step &b) { return a.place < b.place; });
  return tile;
}

/// Tiles of a line, those that differ by their place alone as one.
SmallVector<LineTile> tilesOf(const ConvolutionDim &dim, int64_t pixels, bool sharesInputs) {
  SmallVector<LineTile> tiles;
  int64_t shift = pixels / dim.outputStep() * dim.inputStep();
  for (int64_t first = 0; first < dim.output && tiles.size() <= kMostTiles; first += pixels) {
    int64_t count = std::min(pixels, dim.output - first);
    if (!tiles.empty() && tiles.back().pixels == count) {
      LineTile &last = tiles.back();
      if (tileAt(dim, first, count, last.repeats * shift, sharesInputs).steps == last.steps) {
        ++last.repeats;
        continue;
      }
    }
    tiles.push_back(tileAt(dim, first, count, 0, sharesInputs));
    tiles.back().shift = shift;
  }
  return tiles;
}
} // namespace

// Registers: a sum for each pixel and vector, the taps of a row of the filter, one input. With too many taps these are read
// from memory each time.
std::optional<DepthwisePlan> DepthwisePlan::make(const ConvolutionShape &shape, const VectorTarget &target,
                                                 unsigned elementBytes) {
  const ConvolutionDim &dim = shape.dims.back();
  DepthwisePlan plan;
  int64_t registers = target.vectorRegisters - (target.hasFMA ? 2 : 3);
  plan.sharesInputs = dim.taps + kLeastPixels <= registers;
  int64_t forSums = registers - (plan.sharesInputs ? dim.taps : 1);
  // Tiles of about one width, whose neighbours meet the same taps.
  int64_t most = std::min(forSums, kMostPixels), step = dim.outputStep();
  int64_t pixels = llvm::divideCeil(dim.output, llvm::divideCeil(dim.output, most));
  if (dim.output > pixels)
    pixels = llvm::alignTo(pixels, step) <= uint64_t(most) ? llvm::alignTo(pixels, step) : most / step * step;
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(shape.columns()));
  if (pixels == 0)
    return std::nullopt;
  int64_t count = llvm::divideCeil(shape.columns(), lanes),
          vectors = std::clamp<int64_t>(forSums / pixels, 1, kMostLineVectors);
  vectors = llvm::divideCeil(count, llvm::divideCeil(count, vectors));
  plan.tile = {unsigned(pixels), unsigned(vectors), lanes};
  plan.panels = llvm::divideCeil(count, vectors);
  plan.lines = shape.outputPlaces() / dim.output;
  plan.rows = shape.taps() / dim.taps;
  int64_t tileBytes = pixels * vectors * lanes * elementBytes;
  plan.tilesAtOnce = std::clamp<int64_t>(kSumBytes / tileBytes, 1, llvm::divideCeil(dim.output, pixels));
  const SumOrder order = kProductOrder; // chains are whole rows of the filter, and one group
  plan.rowsOfChain = order.rowsOfChain(shape.sumRow());
  if (shape.sumRow() > order.chain || llvm::divideCeil(plan.rows, plan.rowsOfChain) > order.group)
    return std::nullopt;
  if (plan.rows > kMostRows || dim.output > kMostLineMeetings / dim.taps)
    return std::nullopt;
  plan.line = tilesOf(dim, pixels, plan.sharesInputs);
  int64_t steps = 0;
  for (const LineTile &tile : plan.line)
    steps += tile.steps.size() * vectors;
  return plan.line.size() <= kMostTiles && steps <= kMostSteps ? std::optional(plan) : std::nullopt;
}

namespace {
class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan)
      : frame(frame), eval(frame.eval), op(op), shape(shape), plan(plan), dim(shape.dims.back()), lines(frame, shape),
        element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), bytes(element.getIntOrFloatBitWidth() / 8),
        pitch(shape.columns()), width(plan.tile.vectors * plan.tile.lanes),
        sums(frame.stack(element, plan.tilesAtOnce * plan.tile.rows * width)),
        rows(frame.stack(frame.b.getI64Type(), 2 * plan.rows)),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())) {}

  void emit() {
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    frame.loop(eval.i64(0), images, 1, [&](Value image) {
      forPanelPieces(frame, plan.tile, pitch, plan.lines, [&](const Panel &panel, Value firstLine, Value lastLine) {
        frame.loop(firstLine, lastLine, 1, [&](Value line) { emitLine(panel, image, line); });
      });
    });
  }

private:
  void emitLine(const Panel &panel, Value image, Value line) {
    SmallVector<Value> place = lines.unravel(line, &ConvolutionDim::output);
    Value all = chains.areOne() ? listRows(place, eval.i64(0), eval.i64(plan.rows)) : Value();
    Value first = eval.mul(image, eval.i64(shape.inputPlaces() * pitch));
    Value x = frame.at(frame.at(frame.buffers.lookup(op.getInput()), element, first), element, panel.first);
    Value w = frame.at(frame.buffers.lookup(op.getFilter()), element, panel.first);
    int64_t tiles = llvm::divideCeil(dim.output, int64_t(plan.tile.rows));
    frame.loop(eval.i64(0), eval.i64(tiles), plan.tilesAtOnce, [&](Value firstTile) {
      Value lastTile = eval.min(eval.add(firstTile, eval.i64(plan.tilesAtOnce)), eval.i64(tiles));
      auto call = [&](Value count, bool adds) {
        LLVM::CallOp::create(frame.b, frame.loc, lineFunction(panel, adds),
                             ValueRange{x, w, rows, count, firstTile, lastTile, sums});
      };
      if (all)
        call(all, /*adds=*/false);
      else
        chains.forEach(
            [&](Value chain, Value isFirst) {
              Value low = eval.mul(chain, eval.i64(plan.rowsOfChain));
              Value high = eval.min(eval.add(low, eval.i64(plan.rowsOfChain)), eval.i64(plan.rows));
              Value count = listRows(place, low, high);
              frame.choose(isFirst, [&] { call(count, false); }, [&] { call(count, true); });
            },
            [](Value, Value) {});
      Value low = eval.mul(firstTile, eval.i64(plan.tile.rows));
      Value high = eval.min(eval.mul(lastTile, eval.i64(plan.tile.rows)), eval.i64(dim.output));
      frame.loop(low, high, 1, [&](Value pixel) {
        Value from = frame.at(sums, element, eval.mul(eval.sub(pixel, low), eval.i64(width)));
        finish(panel, from, image, place, pixel);
      });
    });
  }

  void finish(const Panel &panel, Value from, Value image, ArrayRef<Value> place, Value pixel) {
    eval.lanes = plan.tile.lanes;
    eval.nextPoint();
    SmallVector<Index> at{eval.uniform(image)};
    for (Value coordinate : place)
      at.push_back(eval.uniform(coordinate));
    at.append({eval.uniform(pixel), Index()});
    finishPanel(frame, plan.tile, panel, op.getResult(), from, at);
  }

  /// Writes down which of the rows [low, high) of the filter meet an input line: where the line begins in the image, and where
  /// the row begins in the filter. Returns how many there are.
  Value listRows(ArrayRef<Value> place, Value low, Value high) {
    auto next = frame.loop(low, high, ValueRange{eval.i64(0)}, [&](Value row, ValueRange found) {
      auto [input, meets] = lines.inputLine(place, lines.unravel(row, &ConvolutionDim::taps));
      Type word = frame.b.getI64Type();
      Value to = frame.at(rows, word, eval.mul(found[0], eval.i64(2)));
      frame.storeOne(eval.mul(input, eval.i64(pitch)), to);
      frame.storeOne(eval.mul(row, eval.i64(dim.taps * pitch)), frame.at(to, word, 1));
      Value one = meets ? Value(arith::ExtUIOp::create(frame.b, frame.loc, word, meets)) : eval.i64(1);
      return CodeFrame::Carry{eval.add(found[0], one)}; // the next one takes its place, if it does not count
    });
    return next[0];
  }

  /// `void (ptr input, ptr filter, ptr rows, i64 count, i64 firstTile, i64 lastTile, ptr sums)`: the sums of some tiles of a
  /// line, from `count` rows of the filter; added to what is there, if `adds`. Kernels with such lines share it.
  LLVM::LLVMFuncOp lineFunction(const Panel &panel, bool adds) {
    std::string symbol =
        llvm::formatv("depthwise_line_{0}_{1}to{2}_taps{3}by{4}_stride{5}and{6}_pad{7}_{8}x{9}to{10}of{11}{12}",
                      nameOf(*elementOf(element)), dim.input, dim.output, dim.taps, dim.dilation, dim.stride, dim.inputDilation,
                      dim.padLow, panel.vectors, plan.tile.lanes, panel.lastLanes, pitch, adds ? "_add" : "");
    Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
    return sharedFunction(frame, symbol, {pointer, pointer, pointer, i64, i64, i64, pointer},
                          [&](CodeFrame &inside, ArrayRef<Value> arguments) {
                            for (const LineTile &tile : plan.line)
                              emitTiles(inside, tile, panel, arguments, adds);
                          });
  }

  void emitTiles(CodeFrame &inside, const LineTile &tile, const Panel &panel, ArrayRef<Value> arguments, bool adds) {
    PointEvaluator &in = inside.eval;
    int64_t firstTile = tile.first / plan.tile.rows;
    auto body = [&](Value number) {
      in.lanes = plan.tile.lanes;
      CodeFrame::Carry totals(tile.pixels * panel.vectors, in.splat(in.constant(element, 0)));
      Value x = inside.at(arguments[0], element, in.mul(number, in.i64(tile.shift * pitch)));
      totals = inside.loop(in.i64(0), arguments[3], totals, [&](Value row, ValueRange carried) {
        Type word = inside.b.getI64Type();
        Value at = inside.at(arguments[2], word, in.mul(row, in.i64(2)));
        Value line = inside.at(x, element, inside.loadOne(at, word));
        Value taps = inside.at(arguments[1], element, inside.loadOne(inside.at(at, word, 1), word));
        return addRow(inside, tile, panel, line, taps, carried);
      });
      Value behind = in.sub(in.add(number, in.i64(firstTile)), arguments[4]);
      Value to = inside.at(arguments[6], element, in.mul(behind, in.i64(plan.tile.rows * width)));
      for (auto [i, total] : llvm::enumerate(totals)) {
        Value at = inside.at(to, element, i / panel.vectors * width + i % panel.vectors * plan.tile.lanes);
        if (adds) {
          Value before = LLVM::LoadOp::create(inside.b, inside.loc, in.vectorOf(element), at, bytes);
          total = arith::AddFOp::create(inside.b, inside.loc, before, total);
        }
        LLVM::StoreOp::create(inside.b, inside.loc, total, at, bytes);
      }
    };
    auto clip = [&](Value index) {
      return in.min(inside.max(in.sub(index, in.i64(firstTile)), in.i64(0)), in.i64(tile.repeats));
    };
    inside.loop(clip(arguments[4]), clip(arguments[5]), 1, body);
  }

  /// What one row of the filter adds to a tile.
  CodeFrame::Carry addRow(CodeFrame &inside, const LineTile &tile, const Panel &panel, Value line, Value taps,
                          ValueRange carried) {
    CodeFrame::Carry totals(carried);
    for (unsigned v = 0; v < panel.vectors; ++v) {
      VectorScope scope(inside, plan.tile, panel, v);
      int64_t offset = int64_t(v) * plan.tile.lanes;
      llvm::SmallDenseMap<int64_t, Value> factors;
      std::optional<int64_t> place;
      Value input;
      for (const LineTile::Step &step : tile.steps) {
        Value &factor = factors[step.tap];
        if (!factor)
          factor = inside.loadLanes(inside.at(taps, element, step.tap * pitch + offset), element);
        if (place != step.place)
          input = inside.loadLanes(inside.at(line, element, step.place * pitch + offset), element);
        place = step.place;
        Value &total = totals[step.pixel * panel.vectors + v];
        total = inside.multiplyAdd(input, factor, total);
      }
    }
    return totals;
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const ConvolutionShape &shape;
  const DepthwisePlan &plan;
  const ConvolutionDim &dim; // the last spatial one
  ConvolutionLines lines;
  Type element;
  int64_t bytes, pitch, width; // elements of a place, and of a panel
  Value sums, rows;            // of a line, on the stack
  Chains chains;
};
} // namespace

void lathe::cpu::emitDepthwiseForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan) {
  DepthwiseEmitter(frame, op, shape, plan).emit();
}
