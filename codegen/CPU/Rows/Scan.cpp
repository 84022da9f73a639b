// The code of cumulative ops and linear recurrences:
//
//   side by side (the dimension is not the last):         // threads share rows, or `piece` columns of a single one
//     for row, for `vectors * lanes` columns
//       for step: total = combine(total, operand[step]); result[step] = total
//   line in a lane (last dimension, the order matters):   // threads share groups of `lanes` lines
//     for `lanes` lines, for `lanes` steps
//       load and transpose a square; combine step by step; transpose and store it
//   within vectors (last dimension, other ops):           // threads share lines
//     for line, for `vectors` vectors: combine(carry, scan of the lanes in log2(lanes) shuffles)
//
// Products and recurrences keep their order, because a factor that overflows may meet a zero. For other ops another order
// changes only the rounding. Squares let memory be accessed in vectors.
//
// Sums of floats keep their digits. Side by side, a total is a SplitSum that carries up every kChain steps. Within vectors, the
// sums of kVectorsOfSum vectors are added to a ScalarTotal.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Sums/SplitSum.h"
#include "codegen/CPU/Tiles/Squares.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Running.h"
#include "codegen/Schedules/Cheapest.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Steps after which a sum of floats carries up, and vectors of a line that are added to its total at once.
constexpr int64_t kChain = 16, kVectorsOfSum = 8;

/// The schedule of a scan. The order in which a line's elements are combined depends on the op and on the target's lanes for
/// its element type, but on no parameter.
struct ScanSchedule {
  int64_t vectors = 1; // independent chains at once: vectors of adjacent lines, or of a line's elements
  int64_t piece = 1;   // columns per work item, if threads share columns

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("vectors", vectors, 1, 8);
    visitor("piece", piece, 1, 1 << 20);
  }
};

class ScanEmitter {
public:
  ScanEmitter(RowFrame &frame, Operation *op, int64_t dim, bool reverse, const ScanSchedule &schedule)
      : frame(frame), eval(frame.eval), b(frame.b), loc(frame.loc), op(op), reverse(reverse),
        isLast(dim + 1 == cast<RankedTensorType>(op->getResult(0).getType()).getRank()),
        lines(cast<RankedTensorType>(op->getResult(0).getType()), dim), output(frame.output(0)),
        length(eval.extent(lines.length)), running(frame, dyn_cast<CumulativeOp>(op), lines.element),
        isSplit(isFloatSum(dyn_cast<CumulativeOp>(op))), total(frame.b, frame.loc, lines.element), schedule(schedule) {}

  void emit(KernelCode &code) {
    code.work = lines.outer * lines.length * lines.inner * Dim(running.isCostly() ? 64 : 2);
    if (!isLast) // even if the inner extent is 1: a version specialised for it adds in the same order
      return sideBySide(code);
    keepsOrder(dyn_cast<CumulativeOp>(op)) ? lineInALane(code) : withinVectors(code);
  }

private:
  /// Emits a scan along a dimension that is not the last: adjacent elements belong to different lines.
  void sideBySide(KernelCode &code) {
    bool sharesColumns = lines.outer.isStatic(1);
    code.extent = sharesColumns ? lines.inner : lines.outer;
    code.unit = sharesColumns ? schedule.piece : 1;
    Value zero = eval.i64(0), columns = eval.extent(lines.inner), piece = eval.i64(schedule.piece);
    Value low = sharesColumns ? eval.mul(frame.begin, piece) : zero;
    Value high = sharesColumns ? eval.min(eval.mul(frame.end, piece), columns) : columns;
    frame.loop(sharesColumns ? zero : frame.begin, sharesColumns ? eval.i64(1) : frame.end, 1, [&](Value row) {
      unsigned narrow = frame.lanesOf(lines.element);
      frame.vectors(low, high, schedule.vectors * narrow, narrow,
                    [&](Value column) { line({eval.uniform(row), {}, {column, 1, {}}}); });
    });
  }

  void lineInALane(KernelCode &code) {
    unsigned lanes = frame.lanesOf(lines.element);
    code.extent = lines.outer;
    code.unit = lanes;
    Value unit = eval.i64(lanes), rows = eval.extent(lines.outer);
    frame.vectors(eval.mul(frame.begin, unit), eval.min(eval.mul(frame.end, unit), rows), lanes, lanes, [&](Value row) {
      SmallVector<Index> place = {{row, 1, {}}, {}, eval.uniform(eval.i64(0))};
      bool isWhole = !eval.tail && lanes > 1 && lines.element.getIntOrFloatBitWidth() >= 32;
      isWhole ? squares(row, place) : line(place);
    });
  }

  /// Scans as many lines as there are lanes, in squares first and then step by step.
  void squares(Value row, SmallVector<Index> &place) {
    Value zero = eval.i64(0), side = eval.i64(eval.lanes);
    Value whole = eval.sub(length, b.createOrFold<arith::RemSIOp>(loc, length, side));
    Value total = frame.loop(zero, whole, eval.lanes, eval.splat(running.neutral()),
                             [&](Value done, ValueRange carried) -> Values { return {square(row, done, carried[0])}; })[0];
    if (isa<CumulativeOp>(op))
      return (void)steps(place, whole, length, total, [&](Value total) { return running.combine(total, operand(0, place)); });
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, whole, zero);
    Value next = arith::SelectOp::create(b, loc, isFirst, eval.min(length, eval.i64(1)), whole);
    total = steps(place, whole, next, total, [&](Value) { return operand(1, place); });
    steps(place, next, length, total,
          [&](Value total) { return frame.multiplyAdd(operand(0, place), total, operand(1, place)); });
  }

  /// Scans as many steps as there are lanes, from step `done` on. Returns the last results.
  Value square(Value row, Value done, Value total) {
    unsigned side = eval.lanes;
    Value column = reverse ? eval.sub(length, eval.add(done, eval.i64(side))) : done;
    auto at = [&](Value buffer, unsigned line) {
      Value first = eval.mul(eval.add(row, eval.i64(line)), length);
      return frame.at(buffer, lines.element, eval.add(first, column));
    };
    SmallVector<SmallVector<Value>> operands(op->getNumOperands());
    for (auto [i, vectors] : llvm::enumerate(operands)) {
      for (unsigned line = 0; line < side; ++line)
        vectors.push_back(frame.loadLanes(at(frame.buffers.lookup(op->getOperand(i)), line), lines.element));
      transposeLanes(frame, vectors);
    }
    SmallVector<Value> results(side);
    for (unsigned step = 0; step < side; ++step) {
      unsigned lane = reverse ? side - 1 - step : step;
      if (isa<CumulativeOp>(op))
        total = running.combine(total, operands[0][lane]);
      else
        total = frame.multiplyAdd(operands[0][lane], total, operands[1][lane]);
      if (!isa<CumulativeOp>(op) && step == 0) {
        Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, done, eval.i64(0));
        total = arith::SelectOp::create(b, loc, isFirst, operands[1][lane], total);
      }
      results[lane] = total;
    }
    transposeLanes(frame, results);
    for (unsigned line = 0; line < side; ++line)
      frame.storeLanes(results[line], at(output, line));
    return total;
  }

  /// Scans one line per lane, step by step. A recurrence begins with its first term: an infinite factor times 0 would be NaN.
  void line(SmallVector<Index> place) {
    if (isSplit && !(lines.length.isStatic() && lines.length.constant() <= kChain))
      return splitLine(place);
    Value zero = eval.i64(0), total = eval.splat(running.neutral());
    if (isa<CumulativeOp>(op))
      return (void)steps(place, zero, length, total, [&](Value total) { return running.combine(total, operand(0, place)); });
    Value one = eval.min(length, eval.i64(1));
    total = steps(place, zero, one, total, [&](Value) { return operand(1, place); });
    steps(place, one, length, total,
          [&](Value total) { return frame.multiplyAdd(operand(0, place), total, operand(1, place)); });
  }

  /// Sums up one line per lane. A shorter line than a chain gives the same bits with `high` left out, which is 0.
  void splitLine(SmallVector<Index> place) {
    Value zero = eval.splat(running.neutral());
    frame.loop(eval.i64(0), length, kChain, ValueRange{zero, zero}, [&](Value start, ValueRange sums) -> Values {
      Value high = sums[0], end = eval.min(eval.add(start, eval.i64(kChain)), length);
      Value low =
          steps(place, start, end, sums[1], [&](Value total) { return running.combine(total, operand(0, place)); }, high);
      SplitSum total = carryUp(b, loc, {high, low});
      return {total.high, total.low};
    });
  }

  /// Scans the steps from `low` to `high` of a line. Returns the last result, before `offset` (null: 0) is added to each.
  Value steps(SmallVector<Index> &place, Value low, Value high, Value total, function_ref<Value(Value)> take,
              Value offset = {}) {
    return frame.loop(low, high, total, [&](Value step, ValueRange carried) -> CodeFrame::Carry {
      place[1] = eval.uniform(reverse ? eval.sub(eval.sub(length, eval.i64(1)), step) : step);
      Value next = take(carried[0]);
      eval.store(offset ? running.combine(offset, next) : next, output, lines.type(), place);
      return {next};
    })[0];
  }

  Value load(unsigned operand, ArrayRef<Index> place) {
    return eval.loadFrom(frame.buffers.lookup(op->getOperand(operand)), lines.type(), place);
  }

  /// Loads an operand as a vector: the load is scalar if the lines have no elements, since all then have one address.
  Value operand(unsigned i, ArrayRef<Index> place) { return eval.splat(load(i, place)); }

  /// Emits a scan along the last dimension: each lane combines those up to it (from it on in reverse) within its vector, then
  /// the carry of the previous vectors. Several vectors at once are independent chains.
  void withinVectors(KernelCode &code) {
    code.extent = lines.outer;
    unsigned lanes = frame.lanesOf(lines.element);
    Value zero = eval.i64(0);
    auto wholeFrom = [&](Value first, unsigned vectors) { // the end of the last whole step
      Value left = eval.sub(length, first);
      return eval.sub(length, b.createOrFold<arith::RemSIOp>(loc, left, eval.i64(lanes * vectors)));
    };
    frame.loop(frame.begin, frame.end, 1, [&](Value row) {
      eval.lanes = lanes;
      Value done = zero, before, carry = running.neutral();
      if (isSplit) {
        carry = eval.splat(carry);
        done = wholeFrom(zero, kVectorsOfSum);
        before = sumOfLine(row, done, carry);
      }
      Value whole = wholeFrom(done, schedule.vectors);
      carry = inSteps(done, whole, schedule.vectors, {carry}, [&](Value done, const Values &carry) -> Values {
        return {vectorsAt(row, done, schedule.vectors, before, carry[0])};
      })[0];
      inSteps(whole, length, 1, {carry},
              [&](Value done, const Values &carry) -> Values { return {lastVector(row, done, before, carry[0])}; });
      eval.lanes = 1;
    });
  }

  /// Sums up a line to `end`, in steps of kVectorsOfSum vectors. Returns the last result in all lanes.
  Value sumOfLine(Value row, Value end, Value zeros) {
    Values all = inSteps(eval.i64(0), end, kVectorsOfSum, total.zero(), [&](Value done, const Values &all) -> Values {
      Value sum = vectorsAt(row, done, kVectorsOfSum, eval.splat(total.rounded(all)), zeros);
      return total.add(all, vector::ExtractOp::create(b, loc, sum, ArrayRef<int64_t>{0}));
    });
    return eval.splat(total.rounded(all));
  }

  using Values = SmallVector<Value>;
  Values inSteps(Value low, Value high, unsigned vectors, const Values &start,
                 function_ref<Values(Value, const Values &)> body) {
    return frame.loop(low, high, vectors * eval.lanes, start,
                      [&](Value done, ValueRange carried) { return body(done, Values(carried)); });
  }

  SmallVector<Index> placeAt(Value row, Value first) { return {eval.uniform(row), {first, 1, {}}, eval.uniform(eval.i64(0))}; }

  /// Scans the vectors that start `done` elements after the line's beginning. The result of the previous ones is `before` and
  /// `carry` combined, or `carry` if `before` is null. Returns the carry after them.
  Value vectorsAt(Value row, Value done, unsigned count, Value before, Value carry) {
    SmallVector<Value> scanned;
    SmallVector<SmallVector<Index>> places;
    for (unsigned i = 0; i < count; ++i) {
      Value first =
          reverse ? eval.sub(length, eval.add(done, eval.i64((i + 1) * eval.lanes))) : eval.add(done, eval.i64(i * eval.lanes));
      places.push_back(placeAt(row, first));
      scanned.push_back(scanLanes(load(0, places.back())));
    }
    for (auto [value, place] : llvm::zip_equal(scanned, places)) {
      storeBehind(before, carry, value, place);
      carry = running.combine(carry, lastLane(value));
    }
    return carry;
  }

  Value lastVector(Value row, Value done, Value before, Value carry) {
    Value left = eval.sub(length, done), first = done;
    if (reverse) {
      first = frame.max(eval.sub(left, eval.i64(eval.lanes)), eval.i64(0));
      left = eval.sub(left, first);
    }
    eval.tail = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(left));
    SmallVector<Index> place = placeAt(row, first);
    Value value = arith::SelectOp::create(b, loc, eval.tail, load(0, place), eval.splat(running.neutral()));
    value = scanLanes(value);
    Value result = storeBehind(before, carry, value, place);
    eval.tail = {};
    return isSplit ? running.combine(carry, lastLane(value)) : lastLane(result);
  }

  /// Stores and returns the results of a vector, given those within it and the result of the previous vectors.
  Value storeBehind(Value before, Value carry, Value scanned, ArrayRef<Index> place) {
    Value all = before ? running.combine(before, carry) : carry;
    Value result = running.combine(eval.splat(all), scanned);
    eval.store(result, output, lines.type(), place);
    return result;
  }

  /// Returns the last result of a vector. In sums, all lanes have it: a shuffle takes less than going through a scalar.
  Value lastLane(Value vector) {
    int64_t last = reverse ? 0 : int64_t(eval.lanes) - 1;
    if (isSplit)
      return vector::ShuffleOp::create(b, loc, vector, vector, SmallVector<int64_t>(eval.lanes, last));
    return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{last});
  }

  Value scanLanes(Value value) {
    int64_t lanes = eval.lanes;
    Value none = eval.splat(running.neutral());
    for (int64_t distance = 1; distance < lanes; distance *= 2) {
      SmallVector<int64_t> from;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t source = reverse ? lane + distance : lane - distance;
        from.push_back(source >= 0 && source < lanes ? source : lanes); // the first lane of `none`
      }
      value = running.combine(vector::ShuffleOp::create(b, loc, value, none, from), value);
    }
    return value;
  }

  RowFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Location loc;
  Operation *op;
  bool reverse, isLast;
  Lines lines;
  Value output, length;
  Running running;
  bool isSplit; // sums of floats
  ScalarTotal total;
  ScanSchedule schedule;
};

/// Returns the number of vectors of adjacent lines at once: the cheapest for all columns, whose rest is done by single vectors.
int64_t chooseVectorsOfColumns(const Dim &columns, unsigned lanes) {
  if (!columns.isStatic())
    return tuning::kTimesOfScans.back().vectors;
  int64_t count = llvm::divideCeil(columns.constant(), int64_t(lanes));
  return cheapest(tuning::kTimesOfScans,
                  [&](const tuning::TimeOfScan &each) {
                    return count / each.vectors * each.time + count % each.vectors * tuning::kTimesOfScans.front().time;
                  })
      .vectors;
}

class ScanForm : public RowForm<ScanSchedule, CumulativeOp, LinearRecurrenceOp> {
public:
  ScanForm() : RowForm("scan") {}

protected:
  ScanSchedule chooseRows(Operation *op, const VectorTarget &target) const override {
    auto running = dyn_cast<CumulativeOp>(op);
    int64_t dim = running ? running.getDim() : cast<LinearRecurrenceOp>(op).getDim(), vectors = tuning::kVectorsOfLine;
    Dims extents = dimsOf(op->getResult(0));
    if (isCostly(running))
      vectors = 1;
    else if (dim + 1 < int64_t(extents.size()))
      vectors = chooseVectorsOfColumns(
          productOf(ArrayRef(extents).drop_front(dim + 1)),
          target.lanes(std::max(1u, getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() / 8)));
    return {vectors, tuning::kPieceColumns};
  }
  void emitRows(RowFrame &frame, Operation *op, const ScanSchedule &schedule, KernelCode &code) const override {
    if (auto running = dyn_cast<CumulativeOp>(op))
      return ScanEmitter(frame, op, running.getDim(), running.getReverse(), schedule).emit(code);
    auto recurrence = cast<LinearRecurrenceOp>(op);
    ScanEmitter(frame, op, recurrence.getDim(), recurrence.getReverse(), schedule).emit(code);
  }
};
} // namespace

const Form &lathe::cpu::scanForm() {
  static const ScanForm form;
  return form;
}
