// The code of triangular_solve. Steps are the rows of the triangle in the order of the substitution:
//
//   registers (small triangles):                           // a thread per column of the right-hand sides
//     for step
//       x[step] = (right[step] - a[step, before] * x[before] for all steps before) / a[step, step]
//   tiles:                                                 // a block per `columns` columns
//     for 32 steps
//       sums = their tile of the right-hand sides          // in registers
//       for 32 steps before
//         load tiles of a and of x to shared memory
//         sums -= tile of a * tile of x
//       for step k of the tile
//         threads with row k: store x[k] to shared memory
//         sums of later rows -= a[row, k] * x[k]
//       store the tile of x
//
// Each row loses multiples of earlier rows in the order of the steps, so that methods differ only in the rounding of products.
#include "codegen/GPU/Rows/Matrix.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
class SolveKernel : MatrixKernel {
public:
  SolveKernel(KernelOp kernel, TriangularSolveOp op, const FunctionPlace &place, unsigned threads, int64_t tileColumns)
      : MatrixKernel(kernel, op, place, threads, tileColumns), op(op), width(dimsOf(op.getB()).back()),
        columns(eval.extent(width)), tileColumns(tileColumns) {}

  KernelCode byColumns();
  KernelCode byTiles();

private:
  void placeSystem(Value number);
  Value rowOf(Value step);
  Value coefficient(Value step, Value known);
  Value at(Value step, Value column) { return eval.add(eval.mul(rowOf(step), columns), column); }
  void tileRows(Value first);
  void subtractKnown(Values &sums, Value first);
  void solveTile(Values &sums, Value first);

  TriangularSolveOp op;
  Dim width;
  Value columns;
  int64_t tileColumns;
  Value a, right, x; // addresses of the current system
  Value place;       // the thread's column of the right-hand sides
  Value factors, known;
};

void SolveKernel::placeSystem(Value number) {
  Value across = eval.mul(number, eval.mul(extent, columns));
  a = frame.at(buffer(op.getA()), element, eval.mul(number, eval.mul(extent, extent)));
  right = frame.at(buffer(op.getB()), element, across);
  x = frame.at(frame.outputs[0], element, across);
}

/// Returns the row that this step solves.
Value SolveKernel::rowOf(Value step) {
  bool downward = op.getUpper() == op.getTransposed();
  return downward ? step : eval.sub(eval.sub(extent, eval.i64(1)), step);
}

Value SolveKernel::coefficient(Value step, Value known) {
  Value row = rowOf(step), column = rowOf(known);
  return load(a, element, op.getTransposed() ? inMatrix(column, row) : inMatrix(row, column));
}

KernelCode SolveKernel::byColumns() {
  Dim all = batch * width;
  Value number = frame.globalThread();
  frame.when(frame.isBelow(number, eval.extent(all)), [&] {
    SmallVector<Index> indices = frame.indicesOf(number, {batch, width});
    placeSystem(indices[0].base);
    Values sums;
    for (int64_t step = 0; step < size.constant(); ++step)
      sums.push_back(load(right, element, at(eval.i64(step), indices[1].base)));
    for (int64_t step = 0; step < size.constant(); ++step) {
      Value number = eval.i64(step);
      for (int64_t before = 0; before < step; ++before)
        sums[step] = less(sums[step], coefficient(number, eval.i64(before)), sums[before]);
      if (!op.getUnit())
        sums[step] = divided(sums[step], coefficient(number, number));
      store(sums[step], x, element, at(number, indices[1].base));
    }
  });
  KernelCode code = frame.finish(symbols, all, "a thread for each column");
  code.unit = frame.threads;
  return code;
}

KernelCode SolveKernel::byTiles() {
  factors = tile("factors");
  known = tile("known");
  Value tiles = frame.max(frame.divideUp(columns, tileColumns), eval.i64(1)); // a divisor, so not 0
  Value number = frame.divide(frame.block, tiles);
  place = eval.add(eval.mul(frame.remainder(frame.block, tiles), eval.i64(tileColumns)), column);
  frame.when(frame.isBelow(number, eval.extent(batch)), [&] {
    placeSystem(number);
    frame.loop(eval.i64(0), extent, kTile, [&](Value first) { tileRows(first); });
  });
  // At least the number of tiles, rounded up for each system. Surplus blocks do nothing.
  KernelCode code = frame.finish(symbols, batch * (width + Dim(tileColumns - 1)),
                                 "a block for each " + std::to_string(tileColumns) + " columns, by tiles");
  code.unit = tileColumns;
  return code;
}

/// Solves one tile of rows, from step `first` on. Rows past the last step are zero.
void SolveKernel::tileRows(Value first) {
  Values sums, isThere;
  for (unsigned i = 0; i < rowsEach(); ++i) {
    Value step = eval.add(first, row(i));
    isThere.push_back(both(isInside(step), frame.isBelow(place, columns)));
    sums.push_back(ifThere(isThere[i], right, at(step, place), zero));
  }
  subtractKnown(sums, first);
  solveTile(sums, first);
  for (unsigned i = 0; i < rowsEach(); ++i)
    frame.when(isThere[i], [&] { store(sums[i], x, element, at(eval.add(first, row(i)), place)); });
}

void SolveKernel::subtractKnown(Values &sums, Value first) {
  bool alongRows = !op.getTransposed();
  sums = frame.loop(eval.i64(0), first, kTile, sums, [&](Value before, ValueRange carried) -> SmallVector<Value> {
    frame.barrier();
    fill(
        factors, alongRows, [&](Value row, Value) { return isInside(eval.add(first, row)); },
        [&](Value row, Value column) { return coefficient(eval.add(first, row), eval.add(before, column)); }, zero);
    for (unsigned i = 0; i < kTile / groups; ++i)
      store(ifThere(frame.isBelow(place, columns), x, at(eval.add(before, row(i)), place), zero), known, element,
            inTile(row(i), column));
    frame.barrier();
    return frame.loop(eval.i64(0), eval.i64(kTile), carried, [&](Value k, ValueRange totals) -> CodeFrame::Carry {
      Value value = load(known, element, inTile(k, column));
      CodeFrame::Carry next;
      for (unsigned i = 0; i < rowsEach(); ++i)
        next.push_back(less(totals[i], load(factors, element, inTile(row(i), k)), value));
      return next;
    });
  });
}

/// Solves the rows within the tile: each row in turn is stored to shared memory, and later rows subtract its multiples.
void SolveKernel::solveTile(Values &sums, Value first) {
  Value one = eval.constant(element, 1);
  frame.barrier();
  fill(
      factors, !op.getTransposed(),
      [&](Value row, Value column) {
        auto isRead = op.getUnit() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sle;
        return both(isInside(eval.add(first, row)), compare(isRead, column, row));
      },
      [&](Value row, Value column) { return coefficient(eval.add(first, row), eval.add(first, column)); }, one);
  frame.barrier();
  int64_t steps = size.isStatic() ? std::min(size.constant(), kTile) : kTile;
  sums = frame.loop(eval.i64(0), eval.i64(steps), sums, [&](Value k, ValueRange carried) -> CodeFrame::Carry {
    CodeFrame::Carry next(carried);
    for (unsigned i = 0; i < rowsEach(); ++i)
      next[i] = either(
          isEqual(row(i), k), element,
          [&] {
            Value value = op.getUnit() ? next[i] : divided(next[i], load(factors, element, inTile(k, k)));
            store(value, known, element, inTile(k, column));
            return value;
          },
          [&] { return next[i]; });
    frame.barrier();
    Value value = load(known, element, inTile(k, column));
    for (unsigned i = 0; i < rowsEach(); ++i) {
      Value rest = less(next[i], load(factors, element, inTile(row(i), k)), value);
      next[i] = choose(compare(arith::CmpIPredicate::sgt, row(i), k), rest, next[i]);
    }
    return next;
  });
}

enum class SolveMethod { Registers, Tiles };
constexpr StringLiteral kSolveMethods[] = {"registers", "tiles"};

struct SolveSchedule {
  SolveMethod method = SolveMethod::Tiles;
  int64_t columns = kWarp; // right-hand sides per block, for tiles

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kSolveMethods);
    visitor("columns", columns, 8, kWarp);
  }
};

class TriangularSolveForm : public RowForm<SolveSchedule, TriangularSolveOp> {
public:
  TriangularSolveForm() : RowForm("triangular_solve") {}

private:
  static bool fitsRegisters(Operation *op) {
    Dim size = MatrixKernel::sizeOf(op);
    return size.isStatic() && size.constant() <= tuning::kSolveInRegisters;
  }
  SolveSchedule chooseRows(KernelOp, Operation *op) const override {
    Dim width = dimsOf(cast<TriangularSolveOp>(op).getB()).back();
    if (fitsRegisters(op))
      return {SolveMethod::Registers, kWarp};
    return {SolveMethod::Tiles,
            width.isStatic() && width.constant() <= tuning::kFewRightSides ? tuning::kFewRightSides : kWarp};
  }
  LogicalResult checkRows(KernelOp kernel, Operation *op, const SolveSchedule &schedule) const override {
    if (failed(keepsSumOrder(op->getLoc(), writeParameters(op->getContext(), schedule),
                             writeParameters(op->getContext(), chooseRows(kernel, op)), {"method"})))
      return failure();
    if (!llvm::isPowerOf2_64(schedule.columns))
      return op->emitError("a schedule with 'columns' ") << schedule.columns << "; expected a power of two";
    return success();
  }
  KernelCode emitRows(KernelOp kernel, Operation *op, const SolveSchedule &schedule,
                      const FunctionPlace &place) const override {
    auto solve = cast<TriangularSolveOp>(op);
    return schedule.method == SolveMethod::Registers ? SolveKernel(kernel, solve, place, 128, kWarp).byColumns()
                                                     : SolveKernel(kernel, solve, place, 256, schedule.columns).byTiles();
  }
};
} // namespace

const Form &lathe::gpu::triangularSolveForm() {
  static const TriangularSolveForm form;
  return form;
}
