#include "codegen/CPU/Convolution/DepthwiseFilterGrad.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Sums/Chains.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostRowScratch = 128 << 10; // bytes of sums on the stack
constexpr int64_t kMostTaps = 512;             // of a row: each is code of its own
constexpr size_t kMostOuterPieces = 4;         // of a line: each is code of its own
constexpr int64_t kPixelsAtOnce = 4;

/// The outputs of a line that meet an input through a tap.
struct Reach {
  int64_t first = 0, count = 0, input = 0; // the first one's input
};

std::vector<Reach> reachOf(const ConvolutionDim &line) {
  std::vector<Reach> reach(line.taps);
  for (int64_t tap = 0; tap < line.taps; ++tap)
    for (int64_t o = 0; o < line.output; ++o)
      if (std::optional<int64_t> place = line.inputPlace(o, tap); place && reach[tap].count++ == 0) {
        reach[tap].first = o;
        reach[tap].input = *place;
      }
  return reach;
}

/// Returns the length of the pieces that chains of a sum cut a line of outputs into; the last piece may be shorter.
int64_t pieceLength(const ConvolutionDim &line) { return std::min(line.output, kProductOrder.chain); }

/// The pieces of a line in which not every output has every tap. All others are the same code.
SmallVector<int64_t> outerPieces(const ConvolutionDim &line) {
  SmallVector<int64_t> pieces;
  std::vector<Reach> reach = reachOf(line);
  int64_t length = pieceLength(line), count = kProductOrder.chainsOfRow(line.output);
  for (int64_t piece = 0; piece < count; ++piece) {
    bool isInner = count > 1 && line.inputDilation == 1 && (piece + 1) * length <= line.output &&
                   llvm::all_of(reach, [&](const Reach &all) {
                     return all.first <= piece * length && (piece + 1) * length <= all.first + all.count;
                   });
    if (!isInner)
      pieces.push_back(piece);
  }
  return pieces;
}
} // namespace

// A pixel takes the output's vectors and, for each tap, the input's: where registers suffice to keep these for the next pixels,
// all but one tap's are there already.
std::optional<DepthwiseFilterGradPlan> DepthwiseFilterGradPlan::make(const ConvolutionShape &shape, const VectorTarget &target,
                                                                     unsigned elementBytes) {
  DepthwiseFilterGradPlan plan;
  const bool isWide = target.vectorRegisters >= 32;
  int64_t taps = shape.dims.back().taps, registers = target.vectorRegisters - (target.hasFMA ? 1 : 2);
  plan.pixelsAtOnce = isWide ? kPixelsAtOnce : 1;
  auto registersFor = [&](int64_t count) { return (isWide ? 2 : 1) * count + 1; };
  int64_t parts = 1;
  while (registersFor(llvm::divideCeil(taps, parts)) > registers)
    ++parts;
  plan.tapsAtOnce = llvm::divideCeil(taps, parts);
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(shape.columns()));
  int64_t count = llvm::divideCeil(shape.columns(), lanes);
  int64_t most = std::min(registers / registersFor(plan.tapsAtOnce), kMostLineVectors);
  plan.panels = llvm::divideCeil(count, most);
  plan.tile = {1, unsigned(llvm::divideCeil(count, plan.panels)), lanes};
  plan.panels = llvm::divideCeil(count, int64_t(plan.tile.vectors));
  plan.rows = shape.taps() / taps;
  if (taps > kMostTaps || outerPieces(shape.dims.back()).size() > kMostOuterPieces ||
      shape.dims.back().output > kMostLineMeetings / taps ||
      shape.taps() * plan.tile.vectors * lanes * elementBytes > kMostRowScratch)
    return std::nullopt;
  return plan;
}

namespace {
class DepthwiseFilterGradEmitter {
public:
  DepthwiseFilterGradEmitter(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                             const DepthwiseFilterGradPlan &plan)
      : frame(frame), eval(frame.eval), op(op), shape(shape), plan(plan), line(shape.dims.back()), reach(reachOf(line)),
        element(cast<RankedTensorType>(op.getType()).getElementType()), bytes(element.getIntOrFloatBitWidth() / 8),
        pitch(shape.columns()), width(plan.tile.vectors * plan.tile.lanes), linesOfImage(shape.outputPlaces() / line.output),
        lines(frame, shape),
        chains(frame, kProductOrder, element, dimsOf(op.getInput())[0] * Dim(shape.outputPlaces()), Dim(shape.gradientRow())),
        outer(outerPieces(line)), sums(frame.stack(element, shape.taps() * width)) {
    if (!chains.areOneGroup())
      totals = frame.stack(element, shape.taps() * width);
  }

  void emit() {
    forPanelPieces(frame, plan.tile, pitch, plan.rows,
                   [&](const Panel &panel, Value firstRow, Value lastRow) { emitPanel(panel, firstRow, lastRow); });
  }

private:
  /// Rows of the filter's gradient take turns: what a chain of their sums reads stays in the cache meanwhile.
  void emitPanel(const Panel &panel, Value firstRow, Value lastRow) {
    chains.forEach(
        [&](Value chain, Value isFirst) {
          auto [start, length] = chains.terms(chain);
          Value first = frame.divide(start, line.output), last = frame.divideUp(eval.add(start, length), line.output);
          Value piece = frame.divide(frame.remainder(start, line.output), pieceLength(line));
          frame.loop(firstRow, lastRow, 1, [&](Value row) {
            for (int64_t tap = 0; tap < line.taps; tap += plan.tapsAtOnce)
              emitChain(panel, row, tap, std::min(tap + plan.tapsAtOnce, line.taps), first, last, piece, isFirst);
          });
        },
        [&](Value group, Value groups) {
          Value vectors = eval.mul(eval.sub(lastRow, firstRow), eval.i64(line.taps * panel.vectors));
          Value at = sumsAt(panel, firstRow, eval.i64(0));
          addGroup(frame, VectorType::get(plan.tile.lanes, element), at, totals, vectors, group, groups);
        });
    frame.loop(firstRow, lastRow, 1, [&](Value row) {
      frame.loop(eval.i64(0), eval.i64(line.taps), 1, [&](Value tap) {
        eval.nextPoint();
        SmallVector<Index> place;
        for (Value k : lines.unravel(row, &ConvolutionDim::taps))
          place.push_back(eval.uniform(k));
        place.append({eval.uniform(tap), eval.uniform(eval.i64(0)), Index()});
        finishPanel(frame, plan.tile, panel, op.getResult(), sumsAt(panel, row, tap), place);
      });
    });
  }

  Value sumsAt(const Panel &panel, Value row, Value tap) {
    Value index = eval.add(eval.mul(row, eval.i64(line.taps)), tap);
    return frame.at(sums, element, eval.mul(index, eval.i64(panel.vectors * plan.tile.lanes)));
  }

  /// Adds to the taps from firstTap to lastTap of a row what a piece of some lines, counted over all images, comes to.
  void emitChain(const Panel &panel, Value row, int64_t firstTap, int64_t lastTap, Value first, Value last, Value piece,
                 Value isFirst) {
    eval.lanes = plan.tile.lanes;
    auto totals = overPieces(0, piece, [&](int64_t from, int64_t to, Value shift) {
      return emitLines(panel, row, firstTap, lastTap, first, last, from, to, shift);
    });
    Value at = sumsAt(panel, row, eval.i64(firstTap));
    auto store = [&](bool adds) {
      for (auto [i, value] : llvm::enumerate(totals)) {
        Value to = frame.at(at, element, int64_t(i) * plan.tile.lanes), total = value;
        if (adds) {
          Value before = LLVM::LoadOp::create(frame.b, frame.loc, value.getType(), to, bytes);
          total = arith::AddFOp::create(frame.b, frame.loc, before, value);
        }
        LLVM::StoreOp::create(frame.b, frame.loc, total, to, bytes);
      }
    };
    chains.areOne() ? store(false) : frame.choose(isFirst, [&] { store(false); }, [&] { store(true); });
  }

  /// Code for each outer piece of a line and for all inner ones, which are the first one's code `shift` outputs behind it.
  CodeFrame::Carry overPieces(size_t i, Value piece, function_ref<CodeFrame::Carry(int64_t, int64_t, Value)> body) {
    int64_t length = pieceLength(line), count = kProductOrder.chainsOfRow(line.output);
    bool hasInner = outer.size() < size_t(count);
    if (i == outer.size())
      return body(0, length, eval.mul(piece, eval.i64(length)));
    auto here = [&] { return body(outer[i] * length, std::min((outer[i] + 1) * length, line.output), Value()); };
    if (i + 1 == outer.size() && !hasInner)
      return here();
    OpBuilder &b = frame.b;
    Value isHere = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, piece, eval.i64(outer[i]));
    OpBuilder::InsertionGuard guard(b);
    auto choice = scf::IfOp::create(
        b, frame.loc, isHere, [&](OpBuilder &, Location) { scf::YieldOp::create(b, frame.loc, here()); },
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, frame.loc, overPieces(i + 1, piece, body)); });
    return CodeFrame::Carry(choice.getResults());
  }

  /// Returns what outputs [from, to) of some lines, counted over all images, come to for the taps from firstTap to lastTap of a
  /// row; or those `shift` behind them, where all taps meet inputs.
  CodeFrame::Carry emitLines(const Panel &panel, Value row, int64_t firstTap, int64_t lastTap, Value first, Value last,
                             int64_t from, int64_t to, Value shift) {
    CodeFrame::Carry totals((lastTap - firstTap) * panel.vectors, eval.splat(eval.constant(element, 0)));
    SmallVector<Value> taps = lines.unravel(row, &ConvolutionDim::taps);
    Value input = frame.at(frame.buffers.lookup(op.getInput()), element, panel.first);
    Value output = frame.at(frame.buffers.lookup(op.getOutput()), element, panel.first);
    if (shift) {
      input = frame.at(input, element, eval.mul(shift, eval.i64(line.stride * pitch)));
      output = frame.at(output, element, eval.mul(shift, eval.i64(pitch)));
    }
    return frame.loop(first, last, totals, [&](Value number, ValueRange carried) {
      Value image = frame.divide(number, linesOfImage), inImage = frame.remainder(number, linesOfImage);
      auto [place, meets] = lines.inputLine(lines.unravel(inImage, &ConvolutionDim::output), taps);
      Value x = eval.add(eval.mul(image, eval.i64(shape.inputPlaces())), place);
      x = frame.at(input, element, eval.mul(x, eval.i64(pitch)));
      Value y = frame.at(output, element, eval.mul(number, eval.i64(line.output * pitch)));
      return ifMeets(meets, carried, [&] {
        CodeFrame::Carry sums(carried);
        return shift ? addPixels(panel, firstTap, lastTap, from, to, x, y, sums)
                     : overLine(panel, firstTap, lastTap, from, to, x, y, sums);
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

  /// Pixels that all taps have go by together; those before and behind them tap by tap. Each sum takes them in order.
  CodeFrame::Carry overLine(const Panel &panel, int64_t firstTap, int64_t lastTap, int64_t from, int64_t to, Value x, Value y,
                            CodeFrame::Carry totals) {
    int64_t low = from, high = to;
    for (int64_t tap = firstTap; tap < lastTap; ++tap) {
      const Reach &all = reach[tap];
      low = std::max(low, all.first);
      high = std::min(high, all.first + all.count);
    }
    if (line.inputDilation > 1 || high < low) // every tap has pixels of its own
      low = high = to;
    auto alone = [&](int64_t from, int64_t to) {
      for (int64_t tap = firstTap; tap < lastTap; ++tap)
        addTap(panel, tap, from, to, x, y, MutableArrayRef(totals).slice((tap - firstTap) * panel.vectors, panel.vectors));
    };
    alone(from, low);
    totals = addPixels(panel, firstTap, lastTap, low, high, x, y, totals);
    alone(high, to);
    return totals;
  }

  /// What outputs from `from` on and before `to` add to one tap.
  void addTap(const Panel &panel, int64_t tap, int64_t from, int64_t to, Value x, Value y, MutableArrayRef<Value> totals) {
    const Reach &all = reach[tap];
    int64_t outputStep = line.outputStep(), inputStep = line.inputStep();
    auto before = [&](int64_t output) { // pixels of the tap before it
      return std::clamp<int64_t>(llvm::divideCeil(std::max<int64_t>(output - all.first, 0), outputStep), 0, all.count);
    };
    int64_t first = before(from), last = before(to);
    x = frame.at(x, element, (all.input + first * inputStep) * pitch);
    y = frame.at(y, element, (all.first + first * outputStep) * pitch);
    auto add = [&](Value i, ValueRange carried) {
      Value xi = frame.at(x, element, eval.mul(i, eval.i64(inputStep * pitch)));
      Value yi = frame.at(y, element, eval.mul(i, eval.i64(outputStep * pitch)));
      CodeFrame::Carry next;
      for (auto [v, total] : llvm::enumerate(carried))
        next.push_back(frame.multiplyAdd(load(panel, xi, v), load(panel, yi, v), total));
      return next;
    };
    if (first == last)
      return;
    CodeFrame::Carry next =
        last - first == 1 ? add(eval.i64(0), totals) : frame.loop(eval.i64(0), eval.i64(last - first), totals, add);
    llvm::copy(next, totals.begin());
  }

  /// Outputs of which every tap has one: several at once share inputs.
  CodeFrame::Carry addPixels(const Panel &panel, int64_t firstTap, int64_t lastTap, int64_t low, int64_t high, Value x, Value y,
                             CodeFrame::Carry totals) {
    auto input = [&](int64_t output, int64_t tap) { return output * line.stride + tap * line.dilation - line.padLow; };
    auto add = [&](int64_t from, int64_t to, int64_t pixels) {
      int64_t count = (to - from) / pixels;
      if (count == 0)
        return;
      totals = frame.loop(eval.i64(0), eval.i64(count), totals, [&](Value i, ValueRange carried) {
        Value xi = frame.at(x, element, eval.mul(i, eval.i64(pixels * line.stride * pitch)));
        Value yi = frame.at(y, element, eval.add(eval.mul(i, eval.i64(pixels * pitch)), eval.i64(from * pitch)));
        CodeFrame::Carry next(carried);
        std::map<std::pair<int64_t, unsigned>, Value> inputs;
        for (int64_t pixel = 0; pixel < pixels; ++pixel)
          for (unsigned v = 0; v < panel.vectors; ++v) {
            Value gradient = load(panel, frame.at(yi, element, pixel * pitch), v);
            for (int64_t tap = firstTap; tap < lastTap; ++tap) {
              int64_t place = input(from + pixel, tap);
              Value &factor = inputs[{place, v}];
              if (!factor)
                factor = load(panel, frame.at(xi, element, place * pitch), v);
              Value &total = next[(tap - firstTap) * panel.vectors + v];
              total = frame.multiplyAdd(factor, gradient, total);
            }
          }
        return next;
      });
    };
    int64_t middle = high - (high - low) % plan.pixelsAtOnce;
    add(low, middle, plan.pixelsAtOnce);
    add(middle, high, 1);
    return totals;
  }

  Value load(const Panel &panel, Value from, unsigned v) {
    VectorScope scope(frame, plan.tile, panel, v);
    return frame.loadLanes(frame.at(from, element, int64_t(v) * plan.tile.lanes), element);
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvFilterGradOp op;
  const ConvolutionShape &shape;
  const DepthwiseFilterGradPlan &plan;
  const ConvolutionDim &line;     // the last spatial dimension
  const std::vector<Reach> reach; // by tap
  Type element;
  int64_t bytes, pitch, width, linesOfImage; // elements of a place, and of a panel; lines of outputs
  ConvolutionLines lines;
  Chains chains;
  const SmallVector<int64_t> outer; // pieces of a line
  Value sums, totals;               // on the stack: [taps][vectors], and of all groups of chains
};
} // namespace

void lathe::cpu::emitDepthwiseFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                                         const DepthwiseFilterGradPlan &plan) {
  DepthwiseFilterGradEmitter(frame, op, shape, plan).emit();
}
