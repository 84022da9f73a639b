// The code of a depthwise filter's gradient:
//
//   for block of `vectors * lanes` channels                               // work items: blocks x rows of the filter
//     for chain of output positions of all images
//       for row of the filter, for `taps_at_once` taps
//         for line of outputs that reads inputs through the row
//           for `pixels_at_once` outputs: sums[row, tap] += input * cotangent, all taps unrolled
//     for row, for tap: results[row, tap, channels] = epilogue(sums[row, tap])
//
// The sums of these taps are in registers. Consecutive outputs share loaded inputs if there are enough registers.
#include "codegen/CPU/Convolution/DepthwiseFilterGrad.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tuning.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostTaps = 512; // of a row: the loop over them is unrolled

/// The range of outputs of a line that read an input through a tap.
struct Reach {
  Value first, count, input; // the input of the first output
};
} // namespace

// Each pixel loads one vector of the output and one vector of the input per tap. If the registers suffice to keep the inputs
// for the next pixels, all but one tap's are already loaded.
DepthwiseFilterGradSchedule lathe::cpu::chooseDepthwiseFilterGrad(const ConvolutionShape &shape, const VectorTarget &target,
                                                                  unsigned elementBytes) {
  DepthwiseFilterGradSchedule schedule;
  const bool isWide = target.vectorRegisters >= 32;
  int64_t taps = shape.dims.back().taps, registers = target.vectorRegisters - (target.hasFMA ? 1 : 2);
  schedule.pixelsAtOnce = isWide ? tuning::kPixelsAtOnce : 1;
  auto registersFor = [&](int64_t count) { return (isWide ? 2 : 1) * count + 1; };
  int64_t parts = 1;
  while (registersFor(llvm::divideCeil(taps, parts)) > registers)
    ++parts;
  schedule.tapsAtOnce = llvm::divideCeil(taps, parts);
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(shape.columns()));
  int64_t count = llvm::divideCeil(shape.columns(), lanes);
  // Without registers for inputs, sums share the two in which an input and a cotangent are at a time.
  int64_t fitting = isWide ? registers / registersFor(schedule.tapsAtOnce) : (registers - 2) / schedule.tapsAtOnce;
  int64_t most = std::min(std::max<int64_t>(fitting, 1), tuning::kMostLineVectors);
  schedule.tile = {1, unsigned(llvm::divideCeil(count, llvm::divideCeil(count, most))), lanes};
  return schedule;
}

std::optional<DepthwiseFilterGradPlan> DepthwiseFilterGradPlan::make(const ConvolutionShape &shape,
                                                                     const DepthwiseFilterGradSchedule &schedule,
                                                                     unsigned elementBytes) {
  const TileShape &tile = schedule.tile;
  int64_t taps = shape.dims.back().taps, count = llvm::divideCeil(shape.columns(), int64_t(tile.lanes));
  if (taps > kMostTaps || shape.taps() * tile.vectors * tile.lanes * elementBytes > tuning::kMostGradientBytes)
    return std::nullopt;
  return DepthwiseFilterGradPlan{schedule, shape.taps() / taps, int64_t(llvm::divideCeil(count, int64_t(tile.vectors)))};
}

LogicalResult lathe::cpu::checkDepthwiseFilterGrad(KernelOp kernel, const ConvolutionShape &shape,
                                                   const DepthwiseFilterGradSchedule &schedule, const VectorTarget &target,
                                                   unsigned elementBytes) {
  if (failed(checkTile(kernel, schedule.tile, elementBytes, target, Dim(1))))
    return failure();
  if (schedule.tile.rows != 1 || schedule.tapsAtOnce > shape.dims.back().taps)
    return kernel.emitError("a schedule with 'rows' ") << schedule.tile.rows << " and 'taps_at_once' " << schedule.tapsAtOnce
                                                       << "; expected 1 and at most " << shape.dims.back().taps;
  if (!DepthwiseFilterGradPlan::make(shape, schedule, elementBytes))
    return kernel.emitError("a schedule with 'vectors' ") << schedule.tile.vectors << " whose sums take too much of the stack";
  return success();
}

namespace {
class DepthwiseFilterGradEmitter {
public:
  DepthwiseFilterGradEmitter(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                             const DepthwiseFilterGradPlan &plan)
      : frame(frame), eval(frame.eval), op(op), plan(plan), line(shape.dims.back()),
        element(cast<RankedTensorType>(op.getType()).getElementType()), pitch(shape.columns()),
        width(plan.schedule.tile.vectors * plan.schedule.tile.lanes), lines(frame, shape), row(lines.output().back()),
        linesOfImage(frame.max(lines.outputLines(), eval.i64(1))),
        chains(frame, kProductOrder, element, dimsOf(op.getInput())[0] * shape.outputPlacesDim(), shape.gradientRow()),
        sums(frame.stack(element, shape.taps() * width)) {
    if (!chains.areOneGroup())
      totals = frame.stack(element, shape.taps() * width);
    for (int64_t tap = 0; tap < line.taps; ++tap)
      reach.push_back(reachOf(tap));
  }

  void emit() {
    forColumnPieces(
        frame, plan.schedule.tile, pitch, eval.i64(plan.rows),
        [&](const TileColumns &columns, Value firstRow, Value lastRow) { emitColumns(columns, firstRow, lastRow); });
  }

private:
  Reach reachOf(int64_t tap) {
    std::optional<ConvolutionDim::Meeting> first = line.firstMeeting(tap);
    Value zero = eval.i64(0);
    if (!first)
      return {zero, zero, zero};
    auto behind = [&](Value extent, int64_t first, int64_t step) {
      return frame.divideUp(frame.max(eval.sub(extent, eval.i64(first)), zero), step);
    };
    Value outputs = behind(row, first->output, line.outputStep());
    Value inputs = behind(lines.input().back(), first->input, line.inputStep());
    return {eval.i64(first->output), eval.min(outputs, inputs), eval.i64(first->input)};
  }

  /// Emits the sums of some rows of the filter's gradient, chain by chain. All rows use the inputs of a chain while these are
  /// cached.
  void emitColumns(const TileColumns &columns, Value firstRow, Value lastRow) {
    chains.forEach(
        [&](Value chain, Value isFirst) {
          auto [start, length] = chains.terms(chain);
          Value divisor = frame.max(row, eval.i64(1)), from = frame.remainder(start, divisor);
          // A chain consists of whole lines or lies within one line.
          Value end = eval.add(eval.add(start, length), eval.sub(divisor, eval.i64(1)));
          Pixels pixels{frame.divide(start, divisor), frame.divide(end, divisor), from, eval.min(row, eval.add(from, length))};
          frame.loop(firstRow, lastRow, 1, [&](Value row) {
            for (int64_t tap = 0; tap < line.taps; tap += plan.schedule.tapsAtOnce)
              emitChain(columns, row, tap, std::min(tap + plan.schedule.tapsAtOnce, line.taps), pixels, isFirst);
          });
        },
        [&](Value group, Value groups) {
          Value vectors = eval.mul(eval.sub(lastRow, firstRow), eval.i64(line.taps * columns.vectors));
          Value at = sumsAt(columns, firstRow, eval.i64(0));
          addGroup(frame, VectorType::get(plan.schedule.tile.lanes, element), at, totals, vectors, group, groups);
        });
    frame.loop(firstRow, lastRow, 1, [&](Value row) {
      frame.loop(eval.i64(0), eval.i64(line.taps), 1, [&](Value tap) {
        eval.nextPoint();
        SmallVector<Index> place;
        for (Value k : lines.rowOfFilter(row))
          place.push_back(eval.uniform(k));
        place.append({eval.uniform(tap), eval.uniform(eval.i64(0)), Index()});
        finishColumns(frame, plan.schedule.tile, columns, op.getResult(), sumsAt(columns, row, tap), place);
      });
    });
  }

  Value sumsAt(const TileColumns &columns, Value row, Value tap) {
    Value index = eval.add(eval.mul(row, eval.i64(line.taps)), tap);
    return frame.at(sums, element, eval.mul(index, eval.i64(columns.vectors * plan.schedule.tile.lanes)));
  }

  /// A range of lines, counted over all images, and the range [from, to) of outputs in each line.
  struct Pixels {
    Value firstLine, lastLine, from, to;
  };

  /// Adds the terms of `pixels` to the sums of the taps [firstTap, lastTap) of a row.
  void emitChain(const TileColumns &columns, Value row, int64_t firstTap, int64_t lastTap, const Pixels &pixels,
                 Value isFirst) {
    eval.lanes = plan.schedule.tile.lanes;
    CodeFrame::Carry totals = emitLines(columns, row, firstTap, lastTap, pixels);
    chains.store(totals, sumsAt(columns, row, eval.i64(firstTap)), isFirst);
  }

  /// Returns the sums over `pixels` for the taps [firstTap, lastTap) of a row.
  CodeFrame::Carry emitLines(const TileColumns &columns, Value row, int64_t firstTap, int64_t lastTap, const Pixels &pixels) {
    CodeFrame::Carry totals((lastTap - firstTap) * columns.vectors, eval.splat(eval.constant(element, 0)));
    SmallVector<Value> taps = lines.rowOfFilter(row);
    Value input = frame.at(frame.buffers.lookup(op.getInput()), element, columns.first);
    Value output = frame.at(frame.buffers.lookup(op.getOutput()), element, columns.first);
    return frame.loop(pixels.firstLine, pixels.lastLine, totals, [&](Value number, ValueRange carried) {
      Value image = frame.divide(number, linesOfImage), inImage = frame.remainder(number, linesOfImage);
      auto [place, meets] = lines.inputLine(lines.lineOfOutputs(inImage), taps);
      Value x = frame.at(input, element, times(eval.add(eval.mul(image, lines.inputPlaces()), place), pitch));
      Value y = frame.at(output, element, times(eval.mul(number, lines.output().back()), pitch));
      return ifMeets(meets, carried, [&] {
        return overLine(columns, firstTap, lastTap, pixels.from, pixels.to, x, y, CodeFrame::Carry(carried));
      });
    });
  }

  CodeFrame::Carry ifMeets(Value meets, ValueRange totals, function_ref<CodeFrame::Carry()> body) {
    if (!meets)
      return body();
    OpBuilder &b = frame.b;
    auto choice = scf::IfOp::create(b, frame.loc, totals.getTypes(), meets, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, frame.loc, totals);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, frame.loc, body());
    return CodeFrame::Carry(choice.getResults());
  }

  /// Adds the outputs [from, to) of a line. Outputs that have all taps are added for all taps together, those before and after
  /// them tap by tap. Each sum takes its terms in order.
  CodeFrame::Carry overLine(const TileColumns &columns, int64_t firstTap, int64_t lastTap, Value from, Value to, Value x,
                            Value y, CodeFrame::Carry totals) {
    auto tapByTap = [&](Value from, Value to) {
      for (int64_t tap = firstTap; tap < lastTap; ++tap)
        addTap(columns, tap, from, to, x, y,
               MutableArrayRef(totals).slice((tap - firstTap) * columns.vectors, columns.vectors));
    };
    if (line.inputDilation > 1) { // every tap has its own outputs
      tapByTap(from, to);
      return totals;
    }
    Value low = from, high = to;
    for (int64_t tap = firstTap; tap < lastTap; ++tap) {
      low = frame.max(low, reach[tap].first);
      high = eval.min(high, eval.add(reach[tap].first, reach[tap].count));
    }
    low = eval.min(low, to);
    high = frame.max(high, low);
    tapByTap(from, low);
    totals = addPixels(columns, firstTap, lastTap, low, high, x, y, totals);
    tapByTap(high, to);
    return totals;
  }

  /// Adds the terms of the outputs [from, to) to the sum of one tap.
  void addTap(const TileColumns &columns, int64_t tap, Value from, Value to, Value x, Value y, MutableArrayRef<Value> totals) {
    const Reach &all = reach[tap];
    int64_t outputStep = line.outputStep(), inputStep = line.inputStep();
    auto before = [&](Value output) { // number of the tap's outputs before `output`
      return eval.min(frame.divideUp(frame.max(eval.sub(output, all.first), eval.i64(0)), outputStep), all.count);
    };
    Value first = before(from), last = before(to);
    Value count = eval.sub(last, first);
    IntegerAttr known;
    if (matchPattern(count, m_Constant(&known)) && known.getInt() == 0)
      return;
    x = frame.at(x, element, times(eval.add(all.input, times(first, inputStep)), pitch));
    y = frame.at(y, element, times(eval.add(all.first, times(first, outputStep)), pitch));
    auto add = [&](Value i, ValueRange carried) {
      Value xi = frame.at(x, element, times(i, inputStep * pitch)), yi = frame.at(y, element, times(i, outputStep * pitch));
      CodeFrame::Carry sums;
      for (auto [v, total] : llvm::enumerate(carried))
        sums.push_back(frame.multiplyAdd(load(columns, xi, v), load(columns, yi, v), total));
      return sums;
    };
    CodeFrame::Carry next =
        known && known.getInt() == 1 ? add(eval.i64(0), totals) : frame.loop(eval.i64(0), count, totals, add);
    llvm::copy(next, totals.begin());
  }

  /// Adds outputs that have all taps, `pixels_at_once` at a time so that they share inputs.
  CodeFrame::Carry addPixels(const TileColumns &columns, int64_t firstTap, int64_t lastTap, Value low, Value high, Value x,
                             Value y, CodeFrame::Carry totals) {
    auto add = [&](Value from, Value count, int64_t pixels) {
      Value xFrom = frame.at(x, element, times(from, line.stride * pitch)), yFrom = frame.at(y, element, times(from, pitch));
      totals = frame.loop(eval.i64(0), count, totals, [&](Value i, ValueRange carried) {
        Value xi = frame.at(xFrom, element, times(i, pixels * line.stride * pitch));
        Value yi = frame.at(yFrom, element, times(i, pixels * pitch));
        CodeFrame::Carry next(carried);
        std::map<std::pair<int64_t, unsigned>, Value> inputs;
        for (int64_t pixel = 0; pixel < pixels; ++pixel)
          for (unsigned v = 0; v < columns.vectors; ++v) {
            Value gradient = load(columns, frame.at(yi, element, pixel * pitch), v);
            for (int64_t tap = firstTap; tap < lastTap; ++tap) {
              int64_t place = pixel * line.stride + tap * line.dilation - line.padLow;
              Value &factor = inputs[{place, v}];
              if (!factor)
                factor = load(columns, frame.at(xi, element, place * pitch), v);
              Value &total = next[(tap - firstTap) * columns.vectors + v];
              total = frame.multiplyAdd(factor, gradient, total);
            }
          }
        return next;
      });
    };
    Value pixels = eval.sub(high, low), together = frame.divide(pixels, plan.schedule.pixelsAtOnce);
    Value middle = eval.add(low, times(together, plan.schedule.pixelsAtOnce));
    add(low, together, plan.schedule.pixelsAtOnce);
    if (plan.schedule.pixelsAtOnce > 1)
      add(middle, eval.sub(high, middle), 1);
    return totals;
  }

  Value times(Value x, int64_t factor) { return eval.mul(x, eval.i64(factor)); }

  Value load(const TileColumns &columns, Value from, unsigned v) {
    VectorScope scope(frame, plan.schedule.tile, columns, v);
    return frame.loadLanes(frame.at(from, element, int64_t(v) * plan.schedule.tile.lanes), element);
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvFilterGradOp op;
  const DepthwiseFilterGradPlan &plan;
  const ConvolutionDim &line; // the last spatial dimension
  SmallVector<Reach> reach;   // by tap
  Type element;
  int64_t pitch, width; // elements per position, and per block of channels
  ConvolutionLines lines;
  Value row, linesOfImage; // outputs per line, lines of outputs per image
  Chains chains;
  Value sums, totals; // on the stack: [taps][vectors], and the totals of groups of chains
};
} // namespace

void lathe::cpu::emitDepthwiseFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                                         const DepthwiseFilterGradPlan &plan) {
  DepthwiseFilterGradEmitter(frame, op, shape, plan).emit();
}
