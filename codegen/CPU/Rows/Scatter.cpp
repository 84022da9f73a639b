// The code of scatter:
//
//   if the result is not in place: copy the operand        // each thread copies its own part
//   for line, for update of the line, in order: if its index is in range:
//     result[index] = combine(result[index], update)
//
// Sums of floats:
//
//   few columns of f32, and few rows for the number of updates:
//     for line: doubles = result; for update: doubles[index] += update; result = doubles
//   otherwise, for line, for update of the line:
//     result[index] += update
//     if that was the last one of a chain: (high[index], result[index]) = high[index] + result[index] and its rounding error
//   for row with a high: result[row] = high[row] + result[row]
//
// Updates of one element keep their order. Threads therefore share lines, or the columns of the only line.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Sums/SplitSum.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "dialects/Lathe/IR/ScatterMemory.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
class ScatterEmitter {
public:
  ScatterEmitter(RowFrame &frame, ScatterOp op, int64_t piece)
      : frame(frame), eval(frame.eval), b(frame.b), loc(frame.loc), op(op), shape(op), piece(piece), output(frame.output(0)),
        length(eval.extent(shape.length)), picks(eval.extent(shape.picks)) {
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    type = tensorOf({shape.outer, shape.length, shape.inner}, element);
    updatesType = tensorOf({shape.outer, shape.picks, shape.inner}, element);
  }

  void emit(KernelCode &code) {
    code.work = *numElements(dimsOf(type)) + *numElements(dimsOf(updatesType)) * Dim(2);
    Value zero = eval.i64(0), inner = eval.extent(shape.inner), firstLine = zero, endLine = eval.i64(1);
    low = zero, high = inner;
    if (op.getAxis() > 0) {
      code.extent = dimsOf(op.getType()).front();
      firstLine = eval.mul(frame.begin, eval.extent(shape.perItem));
      endLine = eval.mul(frame.end, eval.extent(shape.perItem));
    } else if (shape.hasSlices) {
      code.extent = shape.inner;
      code.unit = piece;
      low = eval.mul(frame.begin, eval.i64(piece));
      high = eval.min(eval.mul(frame.end, eval.i64(piece)), inner);
    }
    copy(firstLine, endLine);
    if (scratchType(op)) {
      placeScratch();
      code.mostThreads = ScatterMemory::kMostAreas;
    }
    frame.loop(firstLine, endLine, 1, [&](Value line) { counts ? sumUpLine(line) : updateLine(line); });
  }

private:
  using Body = function_ref<void(Index)>;

  /// Visits the thread's columns.
  void columns(Body body) {
    if (!shape.hasSlices || shape.inner.isStatic(1))
      return body(eval.uniform(eval.i64(0)));
    unsigned lanes = frame.lanesOf(type.getElementType());
    frame.vectors(low, high, lanes, lanes, [&](Value column) { body({column, 1, {}}); });
  }

  /// Returns the value of `then` if the condition holds, otherwise `other`.
  Value either(Value condition, function_ref<Value()> then, Value other) {
    return frame.either(condition, other.getType(), then, [&] { return other; });
  }

  void copy(Value firstLine, Value endLine) {
    Value from = frame.buffers.lookup(op.getInto());
    Value elsewhere = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, from, output);
    auto move = [&](RankedTensorType as, ArrayRef<Index> place) {
      eval.store(eval.loadFrom(from, as, place), output, as, place);
    };
    frame.when(elsewhere, [&] {
      if (op.getAxis() == 0 && shape.hasSlices) // a part of each row
        return frame.loop(eval.i64(0), length, 1, [&](Value row) {
          columns([&](Index column) { move(type, {eval.uniform(eval.i64(0)), eval.uniform(row), column}); });
        });
      Value line = eval.extent(shape.length * shape.inner);
      auto flat = tensorOf({shape.outer * shape.length * shape.inner}, type.getElementType());
      unsigned lanes = frame.lanesOf(type.getElementType());
      frame.vectors(eval.mul(firstLine, line), eval.mul(endLine, line), lanes, lanes,
                    [&](Value place) { move(flat, {{place, 1, {}}}); });
    });
  }

  /// Returns the index of an update, as i64.
  Value rowOf(Value line, Value pick) {
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    auto shared = tensorOf({shape.outer, shape.picks}, indices.getElementType()); // as many lines share one
    Value group = shape.perIndex.isStatic(1) ? line : frame.divide(line, eval.extent(shape.perIndex));
    Value row = eval.loadFrom(frame.buffers.lookup(op.getIndices()), shared, {eval.uniform(group), eval.uniform(pick)});
    return row.getType().isInteger(64) ? row : arith::ExtSIOp::create(b, loc, b.getI64Type(), row).getResult();
  }

  /// True if an index is in range: an unsigned comparison rejects negative ones too.
  Value isInside(Value row) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, length); }

  void updateLine(Value line) {
    frame.loop(eval.i64(0), picks, 1, [&](Value pick) {
      Value row = rowOf(line, pick);
      frame.when(isInside(row), [&] { apply(line, pick, row); });
    });
  }

  Value updateAt(Value line, Value pick, Index column) {
    return eval.loadFrom(frame.buffers.lookup(op.getUpdates()), updatesType, {eval.uniform(line), eval.uniform(pick), column});
  }

  void apply(Value line, Value pick, Value row) {
    columns([&](Index column) {
      SmallVector<Index> to = {eval.uniform(line), eval.uniform(row), column};
      Value update = updateAt(line, pick, column);
      if (op.getKind() != ScatterKind::Set)
        update = combine(b, loc, reductionOf(op.getKind()), eval.loadFrom(output, type, to), update);
      eval.store(update, output, type, to);
    });
  }

  // ---- Sums of floats

  /// Places the arrays of ScatterMemory: those of this call, and `carried`, of which calls for columns share one.
  void placeScratch() {
    ScatterMemory memory(op);
    Type word = b.getI64Type(), element = type.getElementType();
    Value number; // of the area
    if (op.getAxis() > 0) {
      Value items = eval.extent(dimsOf(op.getType()).front()), most = eval.i64(ScatterMemory::kMostAreas);
      Value hasOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, items, most);
      number = arith::SelectOp::create(b, loc, hasOwn, frame.begin, frame.function.getArgument(1));
    } else {
      number = frame.divide(low, ScatterMemory::kColumns);
    }
    Value start = frame.output(1), area = start, countWords = eval.extent(memory.counts);
    if (memory.sharesCarried)
      area = frame.at(area, word, eval.extent(memory.carried));
    counts = frame.at(area, word, eval.mul(number, eval.extent(memory.wordsOfArea())));
    numbers = frame.at(counts, word, countWords);
    rows = frame.at(numbers, word, eval.extent(memory.numbers));
    doubles = frame.at(rows, word, eval.extent(memory.rows));
    carried = memory.sharesCarried ? start : frame.at(doubles, word, eval.extent(memory.doubles));
    carriedType = tensorOf({memory.rows, shape.inner}, element);
    countsType = tensorOf({memory.counts}, word);
  }

  /// Adds in f64 or in chains. Extents decide, so that all versions of a kernel do the same.
  void sumUpLine(Value line) {
    if (ScatterMemory(op).doubles.isStatic(0))
      return sumInChains(line);
    auto isAtMost = [&](Value x, Value y) { return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, x, y); };
    Value hasFew = isAtMost(eval.extent(shape.inner), eval.i64(ScatterMemory::kFewColumns));
    Value pays = isAtMost(length, eval.mul(picks, eval.i64(ScatterMemory::kRowsPerUpdate)));
    Value isLong = isAtMost(eval.i64(ScatterMemory::kChain + 1), picks); // others have no scratch memory if that is known
    frame.choose(eval.both(eval.both(hasFew, pays), isLong), [&] { sumInDoubles(line); }, [&] { sumInChains(line); });
  }

  void sumInDoubles(Value line) {
    Type element = type.getElementType(), wide = b.getF64Type();
    auto wideOf = [&](Value x) {
      bool isVector = isa<VectorType>(x.getType());
      return arith::ExtFOp::create(b, loc, isVector ? eval.vectorOf(wide) : wide, x).getResult();
    };
    auto flat = tensorOf({shape.outer * shape.length * shape.inner}, element);
    auto flatWide = tensorOf({shape.length * shape.inner}, wide), wideType = tensorOf({shape.length, shape.inner}, wide);
    Value size = eval.extent(shape.length * shape.inner), start = eval.mul(line, size);
    auto elements = [&](function_ref<void(Index inLine, Index inAll)> body) {
      unsigned lanes = frame.lanesOf(element);
      frame.vectors(eval.i64(0), size, lanes, lanes,
                    [&](Value place) { body({place, 1, {}}, {eval.add(start, place), 1, {}}); });
    };
    elements([&](Index inLine, Index inAll) {
      eval.store(wideOf(eval.loadFrom(output, flat, {inAll})), doubles, flatWide, {inLine});
    });
    frame.loop(eval.i64(0), picks, 1, [&](Value pick) {
      Value row = rowOf(line, pick);
      frame.when(isInside(row), [&] {
        columns([&](Index column) {
          SmallVector<Index> to = {eval.uniform(row), column};
          Value sum = eval.loadFrom(doubles, wideType, to), term = wideOf(updateAt(line, pick, column));
          eval.store(arith::AddFOp::create(b, loc, sum, term), doubles, wideType, to);
        });
      });
    });
    elements([&](Index inLine, Index inAll) {
      Type narrow = eval.lanes > 1 ? eval.vectorOf(element) : element;
      Value sum = arith::TruncFOp::create(b, loc, narrow, eval.loadFrom(doubles, flatWide, {inLine}));
      eval.store(sum, output, flat, {inAll});
    });
  }

  void sumInChains(Value line) {
    clearCounts(line);
    Value used = frame.loop(eval.i64(0), picks, {eval.i64(0)}, [&](Value pick, ValueRange used) -> CodeFrame::Carry {
      Value row = rowOf(line, pick);
      return {either(
          isInside(row),
          [&] {
            apply(line, pick, row);
            return count(line, row, used[0]);
          },
          used[0])};
    })[0];
    frame.loop(eval.i64(0), used, 1, [&](Value number) {
      Value row = frame.loadOne(frame.at(rows, b.getI64Type(), number), b.getI64Type());
      columns([&](Index column) {
        SmallVector<Index> to = {eval.uniform(line), eval.uniform(row), column};
        Value high = eval.loadFrom(carried, carriedType, {eval.uniform(number), column});
        eval.store(arith::AddFOp::create(b, loc, high, eval.loadFrom(output, type, to)), output, type, to);
      });
    });
  }

  /// Sets the counts to 0: all of them, a vector at a time, or those of the rows that have updates.
  void clearCounts(Value line) {
    Value most = eval.mul(picks, eval.i64(tuning::kCountsPerUpdate));
    Value isDense = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, length, most);
    frame.choose(
        isDense,
        [&] {
          unsigned lanes = frame.lanesOf(b.getI64Type());
          frame.vectors(eval.i64(0), eval.extent(dimsOf(countsType)[0]), lanes, lanes,
                        [&](Value word) { eval.store(eval.splat(eval.i64(0)), counts, countsType, {{word, 1, {}}}); });
        },
        [&] {
          Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
          frame.loop(eval.i64(0), picks, 1, [&](Value pick) {
            Value row = rowOf(line, pick);
            frame.when(isInside(row), [&] { frame.storeOne(zero, frame.at(counts, zero.getType(), row)); });
          });
        });
  }

  /// Counts an update of a row, which carries when its chain is complete. Returns the number of rows that have carried.
  Value count(Value line, Value row, Value used) {
    Type byte = b.getI8Type();
    Value place = frame.at(counts, byte, row), zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    Value one = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(1));
    Value number = arith::AddIOp::create(b, loc, frame.loadOne(place, byte), one);
    Value all = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(ScatterMemory::kChain));
    Value isComplete = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, all);
    frame.storeOne(arith::SelectOp::create(b, loc, isComplete, zero, number), place);
    return either(isComplete, [&] { return carry(line, row, used); }, used);
  }

  /// Carries the digits of a row that `carried` can hold there. Rows that carry are numbered; a row's number is valid if it
  /// leads back to the row. Returns how many there are.
  Value carry(Value line, Value row, Value used) {
    Type word = b.getI64Type(), half = b.getI32Type();
    Value isNot = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    Value place = frame.at(numbers, half, row);
    Value found = arith::ExtUIOp::create(b, loc, word, frame.loadOne(place, half));
    Value isKnown = either(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, found, used),
        [&]() -> Value {
          Value back = frame.loadOne(frame.at(rows, word, found), word);
          return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, back, row);
        },
        isNot);
    Value number = arith::SelectOp::create(b, loc, isKnown, found, used);
    frame.storeOne(arith::TruncIOp::create(b, loc, half, number), place);
    frame.storeOne(row, frame.at(rows, word, number));
    columns([&](Index column) {
      SmallVector<Index> at = {eval.uniform(number), column}, to = {eval.uniform(line), eval.uniform(row), column};
      Value high = eval.loadFrom(carried, carriedType, at), low = eval.loadFrom(output, type, to);
      Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(high.getType()));
      SplitSum sum = carryUp(b, loc, {arith::SelectOp::create(b, loc, isKnown, high, none), low});
      eval.store(sum.high, carried, carriedType, at);
      eval.store(sum.low, output, type, to);
    });
    return arith::SelectOp::create(b, loc, isKnown, used, eval.add(used, eval.i64(1)));
  }

  RowFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Location loc;
  ScatterOp op;
  ScatterLines shape;
  int64_t piece; // columns of the slices per work item
  Value output, length, picks;
  RankedTensorType type, updatesType; // as lines of rows of columns
  Value low, high;                    // the thread's columns

  Value counts, numbers, rows, doubles, carried; // see ScatterMemory
  RankedTensorType countsType, carriedType;
};

class ScatterForm : public RowForm<ColumnsSchedule, ScatterOp> {
public:
  ScatterForm() : RowForm("scatter") {}

protected:
  ColumnsSchedule chooseRows(Operation *, const VectorTarget &) const override { return {tuning::kPieceColumns}; }
  LogicalResult checkRows(Operation *op, const ColumnsSchedule &schedule, const VectorTarget &) const override {
    if (scratchType(op) && schedule.piece < ScatterMemory::kColumns)
      return op->emitError("a schedule with 'piece' ")
             << schedule.piece << "; a sum of floats needs at least " << ScatterMemory::kColumns;
    return success();
  }
  void emitRows(RowFrame &frame, Operation *op, const ColumnsSchedule &schedule, KernelCode &code) const override {
    ScatterEmitter(frame, cast<ScatterOp>(op), schedule.piece).emit(code);
  }
};
} // namespace

const Form &lathe::cpu::scatterForm() {
  static const ScatterForm form;
  return form;
}
