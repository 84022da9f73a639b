// The code of a depthwise convolution:
//
//   for line of outputs, for block of `vectors * lanes` channels         // work items
//     for `pixels_at_once` outputs of the line
//       for tile of `rows` outputs
//         for row of the filter that reads a line of inputs: sums += input * tap, all taps of the row unrolled
//       for output: results = epilogue(sums)
//
// Images of bf16 are widened as they are loaded. If `pixels_at_once` is 0, a tile's results are computed from the sums in
// registers instead.
#include "codegen/CPU/Convolution/DepthwiseForward.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tiles/Copies.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/MathTarget.h"
#include "lib/Analysis/PairProducts.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr size_t kMostTiles = 12;       // different tiles: each has its own code
constexpr int64_t kMostSteps = 1 << 12; // of all tiles: the loop over the taps of a row is unrolled
constexpr int64_t kMostRows = 1 << 10;  // of the filter: their offsets are on a thread's stack

/// Returns the tile of the outputs [first, first + pixels); input positions are relative to `origin`.
LineTile tileOf(int64_t first, int64_t pixels, int64_t origin, bool sharesInputs, int64_t taps,
                function_ref<std::optional<int64_t>(int64_t output, int64_t tap)> placeOf) {
  LineTile tile{first, pixels, 1, 0, {}};
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      if (std::optional<int64_t> place = placeOf(first + pixel, tap))
        tile.steps.push_back({*place - origin, pixel, tap});
  if (sharesInputs)
    llvm::stable_sort(tile.steps, [](const LineTile::Step &a, const LineTile::Step &b) { return a.place < b.place; });
  return tile;
}

/// Returns the tile that begins at output `first`.
LineTile tileAt(const ConvolutionDim &dim, int64_t first, int64_t pixels, int64_t origin, bool sharesInputs) {
  return tileOf(first, pixels, origin, sharesInputs, dim.taps, [&](int64_t o, int64_t k) { return dim.inputPlace(o, k); });
}

/// Returns the tile of the first outputs for an unbounded input.
LineTile innerTile(const ConvolutionDim &dim, int64_t pixels, bool sharesInputs) {
  return tileOf(0, pixels, 0, sharesInputs, dim.taps, [&](int64_t o, int64_t k) { return dim.place(o, k); });
}

/// Returns the tiles of a line; tiles that differ only by their position become one with `repeats`.
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

/// True if the sums of a tile are complete when its last row of the filter is added.
static bool canFinishTiles(const ConvolutionShape &shape) {
  return !shape.isOpen() && shape.taps() / shape.dims.back().taps <= kProductOrder.rowsOfChain(shape.sumRow());
}

// Registers hold a sum for each pixel and vector, the taps of a filter row and one input. If there are too many taps, they are
// loaded at each use.
std::optional<DepthwiseSchedule> lathe::cpu::chooseDepthwise(const ConvolutionShape &shape, const VectorTarget &target,
                                                             unsigned elementBytes, int64_t operations) {
  const ConvolutionDim &dim = shape.dims.back();
  const bool isOpen = shape.isOpen();
  DepthwiseSchedule schedule;
  int64_t registers = target.vectorRegisters - (target.hasFMA ? 2 : 3);
  schedule.sharesInputs = dim.taps + tuning::kLeastLinePixels <= registers;
  int64_t forSums = registers - (schedule.sharesInputs ? dim.taps : 1);
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(shape.columns()));
  int64_t count = llvm::divideCeil(shape.columns(), lanes);
  // A pixel's vectors in a tile fill a cache line, if registers for a few pixels are left.
  int64_t ofLine = std::clamp<int64_t>(VectorTarget::kCacheLineBytes / target.vectorBytes, 1,
                                       std::max<int64_t>(forSums / tuning::kLeastLinePixels, 1));
  // Choose tiles of about equal width that begin at outputs with the same taps.
  int64_t most = std::min(forSums / std::min(ofLine, count), tuning::kMostLinePixels), step = dim.outputStep();
  int64_t pixels = most / step * step;
  if (!isOpen) {
    int64_t even = llvm::divideCeil(dim.output, llvm::divideCeil(dim.output, most));
    if (dim.output == even)
      pixels = even;
    else if (llvm::alignTo(even, step) <= uint64_t(most))
      pixels = llvm::alignTo(even, step);
  }
  if (pixels == 0)
    return std::nullopt;
  int64_t vectors = std::clamp<int64_t>(forSums / pixels, 1, tuning::kMostLineVectors);
  vectors = llvm::divideCeil(count, llvm::divideCeil(count, vectors));
  schedule.tile = {unsigned(pixels), unsigned(vectors), lanes};
  schedule.pixelsAtOnce = 0;
  if (operations <= tuning::kShortEpilogue && canFinishTiles(shape))
    return schedule;
  int64_t tileBytes = pixels * vectors * lanes * elementBytes;
  int64_t tiles = std::max<int64_t>(target.cacheBlockBytes() / tileBytes, 1);
  schedule.pixelsAtOnce = pixels * (isOpen ? tiles : std::min<int64_t>(tiles, llvm::divideCeil(dim.output, pixels)));
  return schedule;
}

std::optional<DepthwisePlan> DepthwisePlan::make(const ConvolutionShape &shape, const DepthwiseSchedule &schedule) {
  const ConvolutionDim &dim = shape.dims.back();
  const bool isOpen = shape.isOpen();
  const int64_t pixels = schedule.tile.rows, vectors = schedule.tile.vectors;
  DepthwisePlan plan;
  plan.schedule = schedule;
  plan.blocks = llvm::divideCeil(llvm::divideCeil(shape.columns(), schedule.tile.lanes), vectors);
  plan.rows = shape.taps() / dim.taps;
  const SumOrder order = kProductOrder; // chains must be whole rows of the filter, in one group
  plan.rowsOfChain = order.rowsOfChain(shape.sumRow());
  if (shape.sumRow() > order.chain || llvm::divideCeil(plan.rows, plan.rowsOfChain) > order.group)
    return std::nullopt;
  if (plan.rows > kMostRows || dim.taps > kMostSteps || (!isOpen && dim.output > kMostLineMeetings / dim.taps))
    return std::nullopt;
  if (isOpen)
    plan.line = {innerTile(dim, pixels, schedule.sharesInputs), innerTile(dim, dim.outputStep(), schedule.sharesInputs)};
  else
    plan.line = tilesOf(dim, pixels, schedule.sharesInputs);
  int64_t steps = 0;
  for (const LineTile &tile : plan.line)
    steps += tile.steps.size() * vectors;
  return plan.line.size() <= kMostTiles && steps <= kMostSteps ? std::optional(plan) : std::nullopt;
}

LogicalResult lathe::cpu::checkDepthwise(KernelOp kernel, const ConvolutionShape &shape, const DepthwiseSchedule &schedule,
                                         const VectorTarget &target, unsigned elementBytes) {
  const ConvolutionDim &dim = shape.dims.back();
  const TileShape &tile = schedule.tile;
  if (failed(checkTile(kernel, tile, elementBytes, target, Dim(tile.rows))))
    return failure();
  if (tile.rows % dim.outputStep() != 0 && (shape.isOpen() || tile.rows < dim.output))
    return kernel.emitError("a schedule with tiles of ") << tile.rows << " pixels; expected a multiple of " << dim.outputStep()
                                                         << ", since outputs that far apart meet the same taps";
  if (schedule.pixelsAtOnce == 0 && !canFinishTiles(shape))
    return kernel.emitError(
        "a schedule with 'pixels_at_once' 0; expected whole tiles, since sums of named extents or of several "
        "chains wait on the stack");
  int64_t stack = schedule.pixelsAtOnce * tile.vectors * tile.lanes * elementBytes;
  if (schedule.pixelsAtOnce % tile.rows != 0 || stack > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'pixels_at_once' ")
           << schedule.pixelsAtOnce << "; expected whole tiles of " << tile.rows << " pixels that take at most "
           << tuning::kMostStackBytes << " bytes of a thread's stack";
  if (!DepthwisePlan::make(shape, schedule))
    return kernel.emitError("a schedule with tiles of ") << tile.rows << " pixels whose code would be too long";
  return success();
}

namespace {
class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan)
      : frame(frame), eval(frame.eval), op(op), shape(shape), plan(plan), dim(shape.dims.back()), lines(frame, shape),
        element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), narrow(narrowOperand(op.getInput())),
        inImage(narrow ? frame.b.getI16Type() : element), pitch(shape.columns()),
        width(plan.schedule.tile.vectors * plan.schedule.tile.lanes), rows(frame.stack(frame.b.getI64Type(), 2 * plan.rows)),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())) {
    if (plan.schedule.pixelsAtOnce)
      sums = frame.stack(element, plan.schedule.pixelsAtOnce * width);
  }

  void emit() {
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    phases = phaseTable(frame, dim);
    frame.loop(eval.i64(0), images, 1, [&](Value image) {
      frame.loop(frame.begin, frame.end, 1, [&](Value item) {
        Value line = frame.divide(item, plan.blocks), number = frame.remainder(item, plan.blocks);
        forColumns(number, [&](const TileColumns &columns) { emitLine(columns, image, line); });
      });
    });
  }

private:
  /// Calls the body for the block of channels with this number. The last block may have fewer.
  void forColumns(Value number, function_ref<void(const TileColumns &)> body) {
    const TileShape &tile = plan.schedule.tile;
    int64_t full = pitch / width, rest = pitch % width;
    Value first = eval.mul(number, eval.i64(width));
    auto last = [&] {
      unsigned vectors = llvm::divideCeil(rest, int64_t(tile.lanes));
      body({first, vectors, rest - (vectors - 1) * int64_t(tile.lanes)});
    };
    if (!rest)
      return body({first, tile.vectors, tile.lanes});
    if (!full)
      return last();
    Value isFull = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, number, eval.i64(full));
    frame.choose(isFull, [&] { body({first, tile.vectors, tile.lanes}); }, last);
  }

  void emitLine(const TileColumns &columns, Value image, Value line) {
    SmallVector<Value> place = lines.lineOfOutputs(line);
    Value all = chains.areOne() ? listRows(place, eval.i64(0), eval.i64(plan.rows)) : Value();
    Value origin = eval.mul(image, eval.mul(lines.inputPlaces(), eval.i64(pitch)));
    Value x =
        frame.at(frame.at(frame.buffers.lookup(narrow ? narrow : op.getInput()), inImage, origin), inImage, columns.first);
    Value w = frame.at(frame.buffers.lookup(op.getFilter()), element, columns.first);
    Value outputs = lines.output().back(), extent = lines.input().back();
    Value next = nextLine(x, line);
    if (!sums) {
      auto finish = [&](Value output, ArrayRef<Value> totals) {
        fetchAhead(columns, next, output, totals.size() / columns.vectors);
        finishTile(columns, image, place, output, totals);
      };
      return emitTiles(Line{frame, columns, {x, w, rows, all, eval.i64(0), outputs}, /*adds=*/false, finish});
    }
    frame.loop(eval.i64(0), outputs, plan.schedule.pixelsAtOnce, [&](Value first) {
      Value last = eval.min(eval.add(first, eval.i64(plan.schedule.pixelsAtOnce)), outputs);
      auto call = [&](Value count, bool adds) {
        SmallVector<Value> arguments{x, w, rows, count, first, last, sums};
        if (shape.isOpen())
          arguments.append({extent, phases ? phases : rows});
        LLVM::CallOp::create(frame.b, frame.loc, lineFunction(columns, adds), arguments);
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
      frame.loop(first, last, 1, [&](Value pixel) {
        Value from = frame.at(sums, element, eval.mul(eval.sub(pixel, first), eval.i64(width)));
        fetchAhead(columns, next, pixel, 1);
        finishPixel(frame, plan.schedule.tile, columns, op.getResult(), from, image, place, pixel);
      });
    });
  }

  /// Lists the filter rows [low, high) that read a line of inputs, as pairs of the line's offset in the image and the row's
  /// offset in the filter. Returns their number.
  Value listRows(ArrayRef<Value> place, Value low, Value high) {
    auto next = frame.loop(low, high, ValueRange{eval.i64(0)}, [&](Value row, ValueRange found) {
      auto [input, meets] = lines.inputLine(place, lines.rowOfFilter(row));
      Type word = frame.b.getI64Type();
      Value to = frame.at(rows, word, eval.mul(found[0], eval.i64(2)));
      frame.storeOne(eval.mul(input, eval.i64(pitch)), to);
      frame.storeOne(eval.mul(row, eval.i64(dim.taps * pitch)), frame.at(to, word, 1));
      Value one = meets ? Value(arith::ExtUIOp::create(frame.b, frame.loc, word, meets)) : eval.i64(1);
      return CodeFrame::Carry{eval.add(found[0], one)}; // if the row does not count, the next one overwrites its entry
    });
    return next[0];
  }

  /// Returns the function `void (ptr input, ptr filter, ptr rows, i64 count, i64 first, i64 last, ptr sums)`, which computes
  /// the sums of the outputs [first, last) of a line from `count` rows of the filter. If `adds`, it adds them to `sums`. Lines
  /// with named extents take two more arguments: the extent of the input line and the table of phases. Kernels with equal lines
  /// share the function.
  LLVM::LLVMFuncOp lineFunction(const TileColumns &columns, bool adds) {
    std::string extents = shape.isOpen() ? "open" : llvm::formatv("{0}to{1}", dim.input, dim.output).str();
    std::string symbol = llvm::formatv("depthwise_line_{0}{12}_{1}_taps{2}by{3}_stride{4}and{5}_pad{6}_{7}x{8}to{9}of{10}{11}",
                                       nameOf(*elementOf(element)), extents, dim.taps, dim.dilation, dim.stride,
                                       dim.inputDilation, dim.padLow, columns.vectors, plan.schedule.tile.lanes,
                                       columns.lastLanes, pitch, adds ? "_add" : "", inImage == element ? "" : "bf16");
    Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
    SmallVector<Type> types{pointer, pointer, pointer, i64, i64, i64, pointer};
    if (shape.isOpen())
      types.append({i64, pointer});
    return sharedFunction(frame, symbol, types, [&](CodeFrame &inside, ArrayRef<Value> arguments) {
      Line line{inside, columns, arguments, adds, {}};
      if (shape.isOpen())
        return emitOpenLine(line);
      emitTiles(line);
    });
  }

  /// Returns where the last input line begins that the next line of outputs reads, at most the image's last one; null if the
  /// second cache holds the image. The channels of a block are far apart, so that the hardware does not expect the next ones.
  Value nextLine(Value image, Value line) {
    if (shape.dims.size() != 2 || shape.isOpen())
      return {};
    const ConvolutionDim &down = shape.dims.front();
    bool isDilated = down.inputDilation > 1 || dim.inputDilation > 1;
    if (isDilated || shape.inputPlaces() * pitch * inImage.getIntOrFloatBitWidth() / 8 <= frame.target.secondBlockBytes())
      return {};
    int64_t ahead = down.stride + (down.taps - 1) * down.dilation - down.padLow;
    Value place = eval.min(eval.add(eval.mul(line, eval.i64(down.stride)), eval.i64(ahead)), eval.i64(down.input - 1));
    return frame.at(image, inImage, eval.mul(place, eval.i64(dim.input * pitch)));
  }

  /// Fetches what lies below the inputs of some outputs for the next line of outputs, up to the line `from`.
  void fetchAhead(const TileColumns &columns, Value from, Value output, int64_t pixels) {
    if (!from)
      return;
    from = frame.at(from, inImage, eval.mul(output, eval.i64(dim.stride * pitch)));
    int64_t count = int64_t(columns.vectors - 1) * plan.schedule.tile.lanes + columns.lastLanes;
    for (int64_t row = 0; row < shape.dims.front().stride; ++row)
      for (int64_t place = 0; place < pixels * dim.stride; ++place)
        fetchLines(frame, frame.at(from, inImage, (place - row * dim.input) * pitch), inImage, count, FetchInto::SecondCache);
  }

  /// Computes the results of adjacent outputs from their sums.
  void finishTile(const TileColumns &columns, Value image, ArrayRef<Value> line, Value first, ArrayRef<Value> totals) {
    SmallVector<Index> place{eval.uniform(image)};
    for (Value coordinate : line)
      place.push_back(eval.uniform(coordinate));
    place.append(2, Index());
    Index &pixel = place[place.size() - 2], &channel = place.back();
    for (auto [i, total] : llvm::enumerate(totals)) {
      unsigned v = i % columns.vectors;
      if (v == 0)
        eval.nextPoint();
      VectorScope scope(frame, plan.schedule.tile, columns, v);
      pixel = eval.uniform(eval.add(first, eval.i64(i / columns.vectors)));
      channel = {eval.add(columns.first, eval.i64(int64_t(v) * plan.schedule.tile.lanes)), eval.lanes > 1, {}};
      frame.finish(op.getResult(), total, place);
    }
  }

  /// The state of a line function's emission, or of a line that the kernel computes in registers.
  struct Line {
    CodeFrame &inside;
    const TileColumns &columns;
    ArrayRef<Value> arguments;
    bool adds;
    /// Takes the sums of a tile that begins at `output`. If it is null, they are stored.
    function_ref<void(Value output, ArrayRef<Value> totals)> finish;

    PointEvaluator &eval() const { return inside.eval; }
    Value first() const { return arguments[4]; }
    Value last() const { return arguments[5]; }
  };

  void emitTiles(const Line &line) {
    for (const LineTile &tile : plan.line)
      emitTiles(line, tile);
  }

  void emitTiles(const Line &line, const LineTile &tile) {
    CodeFrame &inside = line.inside;
    PointEvaluator &in = inside.eval;
    int64_t pixels = plan.schedule.tile.rows, firstTile = tile.first / pixels;
    auto clip = [&](Value output) {
      Value index = in.sub(inside.divideUp(output, pixels), in.i64(firstTile));
      return in.min(inside.max(index, in.i64(0)), in.i64(tile.repeats));
    };
    inside.loop(clip(line.first()), clip(line.last()), 1, [&](Value number) {
      Value output = in.mul(in.add(number, in.i64(firstTile)), in.i64(pixels));
      emitTile(line, tile, in.mul(number, in.i64(tile.shift)), output);
    });
  }

  /// Groups of outputStep() outputs have the same taps. Groups that have all taps are computed in long tiles, then in short
  /// ones; the outputs before and after them are computed one by one.
  void emitOpenLine(const Line &line) {
    CodeFrame &inside = line.inside;
    PointEvaluator &in = inside.eval;
    const LineTile &longTile = plan.line.front(), &group = plan.line.back();
    const int64_t step = group.pixels;
    int64_t low = 0, high = 0; // range of a group's input positions
    for (const LineTile::Step &meeting : group.steps) {
      low = std::min(low, meeting.place);
      high = std::max(high, meeting.place);
    }
    Value firstGroup = inside.divide(line.first(), step), endGroup = inside.divide(line.last(), step);
    auto clip = [&](Value place) { // groups before that input position
      return in.min(inside.max(inside.divideUp(inside.max(place, in.i64(0)), dim.inputStep()), firstGroup), endGroup);
    };
    Value begin = clip(in.i64(-low)), end = inside.max(clip(in.sub(line.arguments[7], in.i64(high))), begin);
    auto oneByOne = [&](Value from, Value to) { inside.loop(from, to, 1, [&](Value output) { emitPixel(line, output); }); };
    auto tiles = [&](const LineTile &tile, Value from, Value count) {
      int64_t groups = tile.pixels / step;
      inside.loop(in.i64(0), count, 1, [&](Value number) {
        Value at = in.add(from, in.mul(number, in.i64(groups)));
        emitTile(line, tile, in.mul(at, in.i64(dim.inputStep())), in.mul(at, in.i64(step)));
      });
      return in.add(from, in.mul(count, in.i64(groups)));
    };
    oneByOne(line.first(), in.mul(begin, in.i64(step)));
    Value next = begin;
    if (longTile.pixels > step)
      next = tiles(longTile, begin, inside.divide(in.sub(end, begin), longTile.pixels / step));
    tiles(group, next, in.sub(end, next));
    oneByOne(in.mul(end, in.i64(step)), line.last());
  }

  /// Emits the sums of a tile; the positions of its steps are relative to `place`.
  void emitTile(const Line &line, const LineTile &tile, Value place, Value output) {
    Value x = line.inside.at(line.arguments[0], inImage, line.eval().mul(place, line.eval().i64(pitch)));
    emitSums(line, output, tile.pixels, [&](Value inputLine, Value taps, ValueRange carried) {
      return addRow(line.inside, tile, line.columns, line.inside.at(x, inImage, inputLine), taps, carried);
    });
  }

  /// Emits the sums of one output for the taps that it has.
  void emitPixel(const Line &line, Value output) {
    CodeFrame &inside = line.inside;
    PointEvaluator &in = inside.eval;
    Value table = dim.outputStep() > 1 ? line.arguments[8] : Value();
    Value residue = inside.remainder(output, dim.outputStep()), index = inside.divide(output, dim.outputStep());
    Phase phase = insideOf(inside, dim, phaseOf(inside, dim, table, residue, index), line.arguments[7]);
    Value x = inside.at(line.arguments[0], inImage, in.mul(phase.place, in.i64(pitch)));
    LineTile one{0, 1, 1, 0, {{0, 0, 0}}}; // a tap at its own position
    emitSums(line, output, 1, [&](Value inputLine, Value taps, ValueRange carried) {
      Value from = inside.at(x, inImage, inputLine), first = inside.at(taps, element, in.mul(phase.tap, in.i64(pitch)));
      return inside.loop(in.i64(0), phase.taps, carried, [&](Value number, ValueRange sums) {
        return addRow(inside, one, line.columns, inside.at(from, inImage, in.mul(number, in.i64(dim.tapPlaces() * pitch))),
                      inside.at(first, element, in.mul(number, in.i64(dim.tapStep() * pitch))), sums);
      });
    });
  }

  /// Computes the sums of some outputs. `body` adds the terms of one filter row, given the offset of its input line in the
  /// image and the address of its taps.
  void emitSums(const Line &line, Value output, int64_t pixels,
                function_ref<CodeFrame::Carry(Value inputLine, Value taps, ValueRange carried)> body) {
    CodeFrame &inside = line.inside;
    PointEvaluator &in = inside.eval;
    in.lanes = plan.schedule.tile.lanes;
    CodeFrame::Carry totals(pixels * line.columns.vectors, in.splat(in.constant(element, 0)));
    totals = inside.loop(in.i64(0), line.arguments[3], totals, [&](Value row, ValueRange carried) {
      Type word = inside.b.getI64Type();
      Value at = inside.at(line.arguments[2], word, in.mul(row, in.i64(2)));
      Value taps = inside.at(line.arguments[1], element, inside.loadOne(inside.at(at, word, 1), word));
      return body(inside.loadOne(at, word), taps, carried);
    });
    if (line.finish)
      return line.finish(output, totals);
    unsigned bytes = element.getIntOrFloatBitWidth() / 8;
    Value to = inside.at(line.arguments[6], element, in.mul(in.sub(output, line.first()), in.i64(width)));
    for (auto [i, total] : llvm::enumerate(totals)) {
      Value at = inside.at(to, element, i / line.columns.vectors * width + i % line.columns.vectors * plan.schedule.tile.lanes);
      if (line.adds) {
        Value before = LLVM::LoadOp::create(inside.b, inside.loc, in.vectorOf(element), at, bytes);
        total = arith::AddFOp::create(inside.b, inside.loc, before, total);
      }
      LLVM::StoreOp::create(inside.b, inside.loc, total, at, bytes);
    }
  }

  Value loadImage(CodeFrame &in, Value from) {
    Value loaded = in.loadLanes(from, inImage);
    return inImage == element ? loaded
                              : elementary::emitExtend(in.b, in.loc, loaded, in.b.getBF16Type(), mathTargetOf(in.target));
  }

  /// Adds the terms of one filter row to a tile's sums.
  CodeFrame::Carry addRow(CodeFrame &inside, const LineTile &tile, const TileColumns &columns, Value line, Value taps,
                          ValueRange carried) {
    CodeFrame::Carry totals(carried);
    for (unsigned v = 0; v < columns.vectors; ++v) {
      VectorScope scope(inside, plan.schedule.tile, columns, v);
      int64_t offset = int64_t(v) * plan.schedule.tile.lanes;
      llvm::SmallDenseMap<int64_t, Value> factors;
      std::optional<int64_t> place;
      Value input;
      for (const LineTile::Step &step : tile.steps) {
        Value &factor = factors[step.tap];
        if (!factor)
          factor = inside.loadLanes(inside.at(taps, element, step.tap * pitch + offset), element);
        if (place != step.place)
          input = loadImage(inside, inside.at(line, inImage, step.place * pitch + offset));
        place = step.place;
        Value &total = totals[step.pixel * columns.vectors + v];
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
  const ConvolutionDim &dim; // the last spatial dimension
  ConvolutionLines lines;
  Type element;
  Value narrow;         // images of bf16 that the op's are widened from; null if there are none
  Type inImage;         // the type of their elements in memory: i16 for bf16
  int64_t pitch, width; // elements per position, and per block of channels
  Value sums, rows;     // on the stack: of a line; no sums if they stay in registers
  Value phases;         // table of phases; null if there is only one
  Chains chains;
};
} // namespace

void lathe::cpu::emitDepthwiseForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan) {
  DepthwiseEmitter(frame, op, shape, plan).emit();
}
