// The code of a depthwise convolution over planes:
//
//   for plane                                                  // work items
//     weights = the plane's filter, each in all lanes
//     for `rows` lines of outputs that have all rows of taps
//       for `vectors * lanes` columns: results = epilogue(sums of all taps, unrolled)
//     for any other line
//       for `vectors * lanes` columns, for row of taps inside of the plane: sums += inputs * weights
//
// An input vector of a line is loaded once for all output lines of a tile that read it. At the ends of a line, lanes without an
// input keep their sum. The taps of an output are added in row-major order, as in any other form.
#include "codegen/CPU/Convolution/Planes.h"
#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"
#include "lib/Analysis/Planes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
struct PlanesSchedule {
  TileShape tile; // its rows are lines of outputs, its lanes columns

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
  }
};

/// A range of output lines, or of other positions.
struct Range {
  int64_t first = 0, end = 0;
  int64_t size() const { return end - first; }
};

/// Returns the outputs that read an input through each tap.
Range innerOutputs(const ConvolutionDim &dim) {
  auto isInner = [&](int64_t output) { return dim.inputPlace(output, 0) && dim.inputPlace(output, dim.taps - 1); };
  Range inner;
  while (inner.first < dim.output && !isInner(inner.first))
    ++inner.first;
  inner.end = inner.first;
  while (inner.end < dim.output && isInner(inner.end))
    ++inner.end;
  return inner;
}

class PlanesEmitter {
public:
  PlanesEmitter(KernelFrame &frame, ConvOp op, const TileShape &tile)
      : frame(frame), eval(frame.eval), op(op), shape(*convolutionShape(op)), lines(shape.dims[0]), columns(shape.dims[1]),
        tile(tile), element(cast<RankedTensorType>(op.getType()).getElementType()),
        input(frame.buffers.lookup(op.getInput().getDefiningOp<NestOp>().getInputs()[0])),
        filter(frame.buffers.lookup(op.getFilter())) {}

  void emit();

private:
  /// Columns of a tile: at a position that is known if some lanes lack inputs or outputs.
  struct Columns {
    Value first;
    std::optional<int64_t> known;
  };
  using Mask = SmallVector<bool>;

  int64_t width() const { return tile.vectors * tile.lanes; }
  int64_t offsetOf(int64_t tap) const { return tap * columns.dilation - columns.padLow; }
  Mask lanesOf(const Columns &at, unsigned vector, int64_t offset) const;
  bool isWhole(int64_t first) const;
  Value maskValue(const Mask &mask);
  void forColumns(function_ref<void(const Columns &)> body);
  void emitLines(Value line, int64_t count);
  void emitLine(Value line);
  void addInputs(const Columns &at, Value inputLine,
                 function_ref<void(int64_t tap, unsigned vector, Value input, Value mask)> body);
  void addTo(Value &sum, Value input, Value weight, Value mask);
  Value weightAt(Value row, int64_t tap);
  Value inputLineOf(Value line, int64_t offset);
  void finish(const Columns &at, Value line, unsigned vector, Value sum);
  Value zero() { return eval.splat(eval.constant(element, 0)); }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  ConvolutionShape shape;
  const ConvolutionDim &lines, &columns;
  TileShape tile;
  Type element;
  Value input, filter;                     // buffers
  Value image, channel, plane;             // plane: address of its inputs
  SmallVector<SmallVector<Value>> weights; // by row and column of taps
};
} // namespace

/// Returns the lanes of a vector of a tile that have an output, and an input at a distance of `offset` columns.
PlanesEmitter::Mask PlanesEmitter::lanesOf(const Columns &at, unsigned vector, int64_t offset) const {
  Mask lanes(tile.lanes, true);
  for (unsigned lane = 0; at.known && lane < tile.lanes; ++lane) {
    int64_t output = *at.known + vector * tile.lanes + lane, place = output + offset;
    lanes[lane] = output < columns.output && place >= 0 && place < columns.input;
  }
  return lanes;
}

/// True if all lanes of a tile at this column have outputs and all inputs.
bool PlanesEmitter::isWhole(int64_t first) const {
  int64_t last = first + width() - 1;
  return last < columns.output && first + offsetOf(0) >= 0 && last + offsetOf(columns.taps - 1) < columns.input;
}

/// Returns a mask as a value; null if it has all lanes.
Value PlanesEmitter::maskValue(const Mask &mask) {
  if (llvm::all_of(mask, [](bool lane) { return lane; }))
    return {};
  auto type = VectorType::get(tile.lanes, frame.b.getI1Type());
  return arith::ConstantOp::create(frame.b, frame.loc, DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

/// Calls the body for the tiles of a line: in a loop for whole ones, which are consecutive.
void PlanesEmitter::forColumns(function_ref<void(const Columns &)> body) {
  int64_t first = 0;
  for (; first < columns.output && !isWhole(first); first += width())
    body({eval.i64(first), first});
  int64_t end = first;
  while (end < columns.output && isWhole(end))
    end += width();
  if (end > first)
    frame.loop(eval.i64(first), eval.i64(end), width(), [&](Value at) { body({at, std::nullopt}); });
  for (; end < columns.output; end += width())
    body({eval.i64(end), end});
}

Value PlanesEmitter::weightAt(Value row, int64_t tap) {
  Value place = eval.add(eval.mul(row, eval.i64(columns.taps * shape.groups)), eval.i64(tap * shape.groups));
  return eval.splat(frame.loadOne(frame.at(filter, element, eval.add(place, channel)), element));
}

/// Returns the address of the input line that an output line reads through a row of taps at this distance.
Value PlanesEmitter::inputLineOf(Value line, int64_t offset) {
  Value index = eval.add(eval.mul(line, eval.i64(lines.stride)), eval.i64(offset - lines.padLow));
  return frame.at(plane, element, eval.mul(index, eval.i64(columns.input)));
}

/// Loads the inputs of a tile in one line, tap by tap.
void PlanesEmitter::addInputs(const Columns &at, Value inputLine, function_ref<void(int64_t, unsigned, Value, Value)> body) {
  Value from = frame.at(inputLine, element, at.first);
  for (int64_t tap = 0; tap < columns.taps; ++tap)
    for (unsigned vector = 0; vector < tile.vectors; ++vector) {
      Mask lanes = lanesOf(at, vector, offsetOf(tap));
      if (llvm::none_of(lanes, [](bool lane) { return lane; }))
        continue;
      eval.tail = maskValue(lanes);
      Value place = frame.at(from, element, eval.i64(int64_t(vector * tile.lanes) + offsetOf(tap)));
      Value inputs = frame.loadLanes(place, element), mask = eval.tail;
      eval.tail = {};
      body(tap, vector, inputs, mask);
    }
}

void PlanesEmitter::addTo(Value &sum, Value inputs, Value weight, Value mask) {
  Value next = frame.multiplyAdd(inputs, weight, sum);
  sum = mask ? arith::SelectOp::create(frame.b, frame.loc, mask, next, sum).getResult() : next;
}

void PlanesEmitter::finish(const Columns &at, Value line, unsigned vector, Value sum) {
  Mask lanes(tile.lanes, true);
  for (unsigned lane = 0; at.known && lane < tile.lanes; ++lane) // outputs may have other columns than inputs
    lanes[lane] = *at.known + vector * tile.lanes + lane < columns.output;
  if (llvm::none_of(lanes, [](bool lane) { return lane; }))
    return;
  eval.nextPoint();
  eval.tail = maskValue(lanes);
  Value first = eval.add(at.first, eval.i64(vector * tile.lanes));
  SmallVector<Index> place{eval.uniform(image), eval.uniform(channel), eval.uniform(line), {first, eval.lanes > 1, {}}};
  frame.finish(op.getResult(), sum, place);
  eval.tail = {};
}

/// Emits `count` lines of outputs that have all rows of taps.
void PlanesEmitter::emitLines(Value line, int64_t count) {
  forColumns([&](const Columns &at) {
    SmallVector<Value> sums(count * tile.vectors, zero());
    int64_t reach = (lines.taps - 1) * lines.dilation + (count - 1) * lines.stride;
    for (int64_t offset = 0; offset <= reach; ++offset) {
      SmallVector<std::pair<int64_t, int64_t>> readers; // lines of outputs and rows of taps
      for (int64_t row = 0; row < count; ++row)
        if (int64_t left = offset - row * lines.stride;
            left >= 0 && left % lines.dilation == 0 && left / lines.dilation < lines.taps)
          readers.emplace_back(row, left / lines.dilation);
      if (readers.empty())
        continue;
      addInputs(at, inputLineOf(line, offset), [&](int64_t tap, unsigned vector, Value inputs, Value mask) {
        for (auto [row, tapRow] : readers)
          addTo(sums[row * tile.vectors + vector], inputs, weights[tapRow][tap], mask);
      });
    }
    for (auto [i, sum] : llvm::enumerate(sums))
      finish(at, eval.add(line, eval.i64(i / tile.vectors)), i % tile.vectors, sum);
  });
}

/// Emits a line of outputs some of whose rows of taps lie outside of the plane.
void PlanesEmitter::emitLine(Value line) {
  Value before = eval.sub(eval.i64(lines.padLow), eval.mul(line, eval.i64(lines.stride))), none = eval.i64(0);
  Value low = frame.divideUp(frame.max(before, none), lines.dilation);
  Value high = frame.divideUp(frame.max(eval.add(before, eval.i64(lines.input)), none), lines.dilation);
  forColumns([&](const Columns &at) {
    CodeFrame::Carry start(tile.vectors, zero());
    auto sums = frame.loop(low, eval.min(high, eval.i64(lines.taps)), start, [&](Value row, ValueRange carried) {
      CodeFrame::Carry next(carried);
      Value index = eval.sub(eval.mul(row, eval.i64(lines.dilation)), before);
      addInputs(at, frame.at(plane, element, eval.mul(index, eval.i64(columns.input))),
                [&](int64_t tap, unsigned vector, Value inputs, Value mask) {
                  addTo(next[vector], inputs, weightAt(row, tap), mask);
                });
      return next;
    });
    for (auto [vector, sum] : llvm::enumerate(sums))
      finish(at, line, vector, sum);
  });
}

void PlanesEmitter::emit() {
  Range inner = innerOutputs(lines);
  int64_t whole = inner.first + inner.size() / tile.rows * tile.rows;
  frame.loop(frame.begin, frame.end, 1, [&](Value number) {
    eval.lanes = tile.lanes;
    image = frame.divide(number, shape.groups);
    channel = frame.remainder(number, shape.groups);
    plane = frame.at(input, element, eval.mul(number, eval.i64(lines.input * columns.input)));
    weights.assign(lines.taps, {});
    for (int64_t row = 0; row < lines.taps; ++row)
      for (int64_t tap = 0; tap < columns.taps; ++tap)
        weights[row].push_back(weightAt(eval.i64(row), tap));
    auto single = [&](int64_t first, int64_t end) {
      if (first < end)
        frame.loop(eval.i64(first), eval.i64(end), 1, [&](Value line) { emitLine(line); });
    };
    single(0, inner.first);
    if (whole > inner.first)
      frame.loop(eval.i64(inner.first), eval.i64(whole), tile.rows, [&](Value line) { emitLines(line, tile.rows); });
    single(whole, lines.output);
  });
}

namespace {
class PlanesForm : public FormOf<PlanesSchedule> {
public:
  PlanesForm() : FormOf("depthwise_planes") {}

  bool isHero(Operation *op) const override { return isa<ConvOp>(op); }
  bool canCompute(Operation *hero, const VectorTarget &) const override {
    SmallVector<Operation *> ops = opsBetweenPlanes(cast<ConvOp>(hero));
    auto isRead = [](Value value) { return isa<BlockArgument>(value); };
    return !ops.empty() && isRead(hero->getOperand(1)) && llvm::all_of(ops.front()->getOperands(), isRead) &&
           isa<YieldOp>(*ops.back()->user_begin());
  }

protected:
  FailureOr<PlanesSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    auto op = cast<ConvOp>(heroOf(kernel));
    ConvolutionShape shape = *convolutionShape(op);
    int64_t outputs = shape.dims[1].output, inner = innerOutputs(shape.dims[0]).size();
    unsigned lanes = std::min<uint64_t>(target.lanes(bytesOf(op)), llvm::PowerOf2Ceil(outputs));
    int64_t vectors = llvm::divideCeil(outputs, int64_t(lanes)) % 2 ? 1 : 2;
    int64_t sums = std::min(target.fmaChains(), target.sumRegisters());
    int64_t rows = std::clamp<int64_t>(inner, 1, sums / vectors);
    return PlanesSchedule{{unsigned(rows), unsigned(vectors), lanes}};
  }
  LogicalResult check(KernelOp kernel, const PlanesSchedule &schedule, const VectorTarget &target) const override {
    return checkTile(kernel, schedule.tile, bytesOf(cast<ConvOp>(heroOf(kernel))), target, Dim(schedule.tile.rows));
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const PlanesSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
    auto op = cast<ConvOp>(heroOf(kernel));
    PlanesEmitter(frame, op, schedule.tile).emit();
    frame.close();
    ConvolutionShape shape = *convolutionShape(op);
    KernelCode code;
    code.function = at.function;
    code.symbols = frame.loops.symbols;
    code.extent = dimsOf(op.getResult())[0] * Dim(shape.groups);
    code.work = code.extent * Dim(shape.outputPlaces() * shape.taps());
    code.threadWork = tuning::kThreadProducts;
    return code;
  }

private:
  static unsigned bytesOf(ConvOp op) { return cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8; }
};
} // namespace

const Form &lathe::cpu::planesForm() {
  static const PlanesForm form;
  return form;
}
