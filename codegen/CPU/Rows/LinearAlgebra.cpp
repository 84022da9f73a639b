// The code of triangular_solve and cholesky:
//
//   for matrix                                            // threads share matrices, or the columns of a single one
//     for panel of `vectors * lanes` columns, for block of 4 rows
//       sums = right[block, panel]
//       for row before the block: sums -= factor * x[row, panel]
//       for row of the block: sums -= multiples of the block's earlier rows; x[row, panel] = sums / diagonal
//
// Cholesky has the panels in the loop over blocks instead, since a block must be complete before the next one. Computed rows
// stay in memory, a block and panel in registers. Columns are independent, so `vectors` changes no result.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Tuning.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// The schedule of a matrix.
struct MatrixSchedule {
  int64_t vectors = 1; // vectors of columns in registers for each row

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("vectors", vectors, 1, 8);
  }
};

using Sums = SmallVector<Value>;

/// The base of both emitters: the loops over square matrices.
class MatrixEmitter {
public:
  MatrixEmitter(RowFrame &frame, Operation *op, const MatrixSchedule &schedule)
      : frame(frame), eval(frame.eval), b(frame.b), loc(frame.loc),
        element(cast<RankedTensorType>(op->getResult(0).getType()).getElementType()) {
    Dims dims = dimsOf(op->getOperand(0));
    batch = productOf(ArrayRef<Dim>(dims).drop_back(2));
    size = dims.back();
    extent = eval.extent(size);
    narrow = frame.lanesOf(element);
    wide = narrow * schedule.vectors;
  }

protected:
  /// Calls body(first row, rows) for blocks of rows, then for each remaining row.
  void rowBlocks(function_ref<void(Value, int64_t)> body) {
    Value whole = eval.sub(extent, frame.remainder(extent, tuning::kMatrixRows));
    frame.loop(eval.i64(0), whole, tuning::kMatrixRows, [&](Value row) { body(row, tuning::kMatrixRows); });
    frame.loop(whole, extent, 1, [&](Value row) { body(row, 1); });
  }

  Value placeOf(Value row, Value column, Value columns) { return eval.add(eval.mul(row, columns), column); }
  Value one(Value matrix, Value place) { return frame.loadOne(frame.at(matrix, element, place), element); }
  Value lanesAt(Value matrix, Value place) { return frame.loadLanes(frame.at(matrix, element, place), element); }
  void setOne(Value value, Value matrix, Value place) { frame.storeOne(value, frame.at(matrix, element, place)); }
  void setLanes(Value value, Value matrix, Value place) { frame.storeLanes(value, frame.at(matrix, element, place)); }
  /// Returns total - factor * value.
  Value less(Value total, Value factor, Value value) {
    return frame.multiplyAdd(eval.splat(arith::NegFOp::create(b, loc, factor)), value, total);
  }
  Value divided(Value value, Value by) { return arith::DivFOp::create(b, loc, value, eval.splat(by)); }

  RowFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Location loc;
  Type element;
  Dim batch{1}, size{0};
  Value extent;
  unsigned narrow, wide;
};

class SolveEmitter : MatrixEmitter {
public:
  SolveEmitter(RowFrame &frame, TriangularSolveOp op, const MatrixSchedule &schedule)
      : MatrixEmitter(frame, op, schedule), op(op), width(dimsOf(op.getB()).back()), columns(eval.extent(width)) {}

  void emit(KernelCode &code) {
    bool sharesColumns = batch.isStatic(1);
    code.extent = sharesColumns ? width : batch;
    code.unit = sharesColumns ? wide : 1;
    code.work = batch * size * size * width;
    Value zero = eval.i64(0), unit = eval.i64(wide);
    Value low = sharesColumns ? eval.mul(frame.begin, unit) : zero;
    Value high = sharesColumns ? eval.min(eval.mul(frame.end, unit), columns) : columns;
    frame.loop(sharesColumns ? zero : frame.begin, sharesColumns ? eval.i64(1) : frame.end, 1, [&](Value index) {
      Value across = eval.mul(index, eval.mul(extent, columns));
      a = frame.at(frame.buffers.lookup(op.getA()), element, eval.mul(index, eval.mul(extent, extent)));
      right = frame.at(frame.buffers.lookup(op.getB()), element, across);
      x = frame.at(frame.output(0), element, across);
      frame.vectors(low, high, wide, narrow,
                    [&](Value column) { rowBlocks([&](Value first, int64_t rows) { block(first, rows, column); }); });
    });
  }

private:
  /// Returns the row that is solved in the given step.
  Value rowOf(Value step) {
    bool downward = op.getUpper() == op.getTransposed();
    return downward ? step : eval.sub(eval.sub(extent, eval.i64(1)), step);
  }
  Value coefficient(Value row, Value column) {
    return one(a, op.getTransposed() ? placeOf(column, row, extent) : placeOf(row, column, extent));
  }

  void block(Value first, int64_t count, Value column) {
    SmallVector<Value> rows;
    Sums sums;
    for (int64_t i = 0; i < count; ++i) {
      rows.push_back(rowOf(eval.add(first, eval.i64(i))));
      sums.push_back(lanesAt(right, placeOf(rows[i], column, columns)));
    }
    sums = frame.loop(eval.i64(0), first, sums, [&](Value step, ValueRange totals) {
      Value known = rowOf(step), value = lanesAt(x, placeOf(known, column, columns));
      Sums next;
      for (auto [row, total] : llvm::zip_equal(rows, totals))
        next.push_back(less(total, coefficient(row, known), value));
      return next;
    });
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t before = 0; before < i; ++before)
        sums[i] = less(sums[i], coefficient(rows[i], rows[before]), sums[before]);
      if (!op.getUnit())
        sums[i] = divided(sums[i], coefficient(rows[i], rows[i]));
      setLanes(sums[i], x, placeOf(rows[i], column, columns));
    }
  }

  TriangularSolveOp op;
  Dim width;
  Value columns;
  Value a, right, x; // of the current system
};

/// Computes the transposed factor, whose rows have contiguous elements to update: u[k] = (a[k] - sum of u[p, k] u[p]) / u[k,
/// k].
class CholeskyEmitter : MatrixEmitter {
public:
  CholeskyEmitter(RowFrame &frame, CholeskyOp op, const MatrixSchedule &schedule)
      : MatrixEmitter(frame, op, schedule), op(op) {}

  void emit(KernelCode &code) {
    code.extent = batch;
    code.work = batch * size * size * size;
    frame.loop(frame.begin, frame.end, 1, [&](Value index) {
      Value offset = eval.mul(index, eval.mul(extent, extent));
      u = frame.at(frame.output(1), element, offset);
      copyTransposed(frame.at(frame.buffers.lookup(op.getA()), element, offset));
      rowBlocks([&](Value first, int64_t rows) {
        frame.vectors(first, extent, wide, narrow, [&](Value column) { subtractKnown(first, rows, column); });
        for (int64_t i = 0; i < rows; ++i)
          finishRow(first, i);
      });
      writeTransposed(frame.at(frame.output(0), element, offset));
    });
  }

private:
  Value at(Value row, Value column) { return placeOf(row, column, extent); }

  void copyTransposed(Value from) {
    frame.loop(eval.i64(0), extent, 1, [&](Value row) {
      frame.loop(row, extent, 1, [&](Value column) { setOne(one(from, at(column, row)), u, at(row, column)); });
    });
  }

  void writeTransposed(Value to) {
    Value zero = eval.constant(element, 0);
    frame.loop(eval.i64(0), extent, 1, [&](Value row) {
      Value end = eval.add(row, eval.i64(1));
      frame.loop(eval.i64(0), end, 1, [&](Value column) { setOne(one(u, at(column, row)), to, at(row, column)); });
      frame.loop(end, extent, 1, [&](Value column) { setOne(zero, to, at(row, column)); });
    });
  }

  /// Subtracts the multiples of all earlier rows from a block of rows.
  void subtractKnown(Value first, int64_t count, Value column) {
    SmallVector<Value> rows;
    Sums sums;
    for (int64_t i = 0; i < count; ++i) {
      rows.push_back(eval.add(first, eval.i64(i)));
      sums.push_back(lanesAt(u, at(rows[i], column)));
    }
    sums = frame.loop(eval.i64(0), first, sums, [&](Value known, ValueRange totals) {
      Value value = lanesAt(u, at(known, column));
      Sums next;
      for (auto [row, total] : llvm::zip_equal(rows, totals))
        next.push_back(less(total, one(u, at(known, row)), value));
      return next;
    });
    for (auto [row, sum] : llvm::zip_equal(rows, sums))
      setLanes(sum, u, at(row, column));
  }

  /// Subtracts the multiples of the block's earlier rows from row `i`, then divides by its pivot.
  void finishRow(Value first, int64_t i) {
    Value row = eval.add(first, eval.i64(i));
    for (int64_t before = 0; before < i; ++before) {
      Value known = eval.add(first, eval.i64(before)), factor = one(u, at(known, row));
      frame.vectors(row, extent, wide, narrow, [&](Value column) {
        setLanes(less(lanesAt(u, at(row, column)), factor, lanesAt(u, at(known, column))), u, at(row, column));
      });
    }
    Value pivot = math::SqrtOp::create(b, loc, one(u, at(row, row)));
    setOne(pivot, u, at(row, row));
    frame.vectors(eval.add(row, eval.i64(1)), extent, wide, narrow,
                  [&](Value column) { setLanes(divided(lanesAt(u, at(row, column)), pivot), u, at(row, column)); });
  }

  CholeskyOp op;
  Value u; // the current matrix, in scratch memory
};

template <typename Op, typename Emitter>
class MatrixForm : public RowForm<MatrixSchedule, Op> {
public:
  using RowForm<MatrixSchedule, Op>::RowForm;

protected:
  MatrixSchedule chooseRows(Operation *, const VectorTarget &target) const override {
    return {target.sumRegisters() / tuning::kMatrixRows};
  }
  void emitRows(RowFrame &frame, Operation *op, const MatrixSchedule &schedule, KernelCode &code) const override {
    Emitter(frame, cast<Op>(op), schedule).emit(code);
  }
};
} // namespace

const Form &lathe::cpu::triangularSolveForm() {
  static const MatrixForm<TriangularSolveOp, SolveEmitter> form("triangular_solve"); // solves from the left only
  return form;
}

const Form &lathe::cpu::choleskyForm() {
  static const MatrixForm<CholeskyOp, CholeskyEmitter> form("cholesky");
  return form;
}
