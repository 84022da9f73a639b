// The code of cholesky, with the factor l of the matrix a:
//
//   registers (small matrices):                            // a thread per matrix
//     for row, for column up to the row
//       sum = a[row, column] - l[row, k] * l[column, k] for all k before column
//       l[row, column] = sum / l[column, column], or its square root on the diagonal
//   tiles:                                                 // a block per matrix
//     for block of 32 columns
//       tiles above the diagonal = 0
//       for tile of the block, from the diagonal down
//         sums = tile of a                                 // in registers
//         for 32 columns before the block
//           load their tiles of l for these rows and for the block's rows to shared memory
//           sums -= product of the tiles
//         factor the tile on the diagonal                  // column by column, by the whole block
//         or solve a tile below with the factored one      // a warp per row
//         store the tile of l
//
// Sums add up in the order of the columns, whatever the method.
#include "codegen/GPU/Rows/Matrix.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Tuning.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
class CholeskyKernel : MatrixKernel {
public:
  CholeskyKernel(KernelOp kernel, CholeskyOp op, const FunctionPlace &place, unsigned threads)
      : MatrixKernel(kernel, op, place, threads, kTile), op(op) {}

  KernelCode byMatrices();
  KernelCode byTiles();

private:
  void placeMatrix(Value number);
  void blockOfColumns(Value first);
  Values readTile(Value top, Value left);
  void subtractKnown(Values &sums, Value top, Value left);
  void factorTile(Values &sums);
  void solveTile(Values &sums);
  void writeTile(ArrayRef<Value> sums, Value top, Value left);
  Value root(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value isFrom(Value x, Value y) { return compare(arith::CmpIPredicate::sge, x, y); }

  CholeskyOp op;
  Value a, l;                // addresses of the current matrix
  Value rowTile, columnTile; // tiles of finished columns
  Value diagonal, factors;   // the diagonal's tile: elements before division; the factor's
};

void CholeskyKernel::placeMatrix(Value number) {
  Value offset = eval.mul(number, eval.mul(extent, extent));
  a = frame.at(buffer(op.getA()), element, offset);
  l = frame.at(frame.outputs[0], element, offset);
}

KernelCode CholeskyKernel::byMatrices() {
  Value number = frame.globalThread();
  frame.when(frame.isBelow(number, eval.extent(batch)), [&] {
    placeMatrix(number);
    int64_t count = size.constant();
    SmallVector<Values> known(count);
    for (int64_t row = 0; row < count; ++row)
      for (int64_t column = 0; column < count; ++column) {
        Value place = eval.i64(row * count + column);
        if (column > row) {
          store(zero, l, element, place);
          continue;
        }
        Value sum = load(a, element, place);
        for (int64_t k = 0; k < column; ++k)
          sum = less(sum, known[row][k], column == row ? known[row][k] : known[column][k]);
        known[row].push_back(column == row ? root(sum) : divided(sum, known[column][column]));
        store(known[row][column], l, element, place);
      }
  });
  KernelCode code = frame.finish(symbols, batch, "a thread for each matrix");
  code.unit = frame.threads;
  return code;
}

KernelCode CholeskyKernel::byTiles() {
  rowTile = tile("rows");
  columnTile = tile("columns");
  diagonal = tile("diagonal");
  factors = tile("factors");
  placeMatrix(frame.block);
  frame.loop(eval.i64(0), extent, kTile, [&](Value first) { blockOfColumns(first); });
  return frame.finish(symbols, batch, "a block for each matrix, by tiles");
}

/// Computes the block of columns from `first` on: zeros above the diagonal, the tile on it, and those below it.
void CholeskyKernel::blockOfColumns(Value first) {
  frame.loop(eval.i64(0), first, kTile, [&](Value top) { writeTile(Values(rowsEach(), zero), top, first); });
  frame.loop(first, extent, kTile, [&](Value top) {
    Values sums = readTile(top, first);
    subtractKnown(sums, top, first);
    auto factored = [&] {
      Values values = sums;
      factorTile(values);
      return values;
    };
    auto solved = [&] {
      Values values = sums;
      solveTile(values);
      return values;
    };
    writeTile(frame.branch(isEqual(top, first), TypeRange(ValueRange(sums)), factored, solved), top, first);
  });
}

/// Loads a tile of the operand. Elements above the diagonal are not read.
CholeskyKernel::Values CholeskyKernel::readTile(Value top, Value left) {
  Values values;
  for (unsigned i = 0; i < rowsEach(); ++i) {
    Value y = eval.add(top, row(i)), x = eval.add(left, column);
    values.push_back(ifThere(both(isInside(y), compare(arith::CmpIPredicate::sle, x, y)), a, inMatrix(y, x), zero));
  }
  return values;
}

void CholeskyKernel::subtractKnown(Values &sums, Value top, Value left) {
  sums = frame.loop(eval.i64(0), left, kTile, sums, [&](Value before, ValueRange carried) -> SmallVector<Value> {
    frame.barrier();
    for (auto [tile, first] : {std::pair(rowTile, top), std::pair(columnTile, left)})
      fill(
          tile, /*alongRows=*/true, [&, first = first](Value row, Value) { return isInside(eval.add(first, row)); },
          [&, first = first](Value row, Value column) {
            return load(l, element, inMatrix(eval.add(first, row), eval.add(before, column)));
          },
          zero);
    frame.barrier();
    return frame.loop(eval.i64(0), eval.i64(kTile), carried, [&](Value k, ValueRange totals) -> CodeFrame::Carry {
      Value value = load(columnTile, element, inTile(column, k));
      CodeFrame::Carry next;
      for (unsigned i = 0; i < rowsEach(); ++i)
        next.push_back(less(totals[i], load(rowTile, element, inTile(row(i), k)), value));
      return next;
    });
  });
}

/// Factors the diagonal's tile column by column: the column is divided by the root of its diagonal element, and its multiples
/// are subtracted from later columns. The barriers of subtractKnown ensure that the previous block's tile has been read.
void CholeskyKernel::factorTile(Values &sums) {
  int64_t steps = size.isStatic() ? std::min(size.constant(), kTile) : kTile;
  Value isDivider = frame.isBelow(frame.thread, eval.i64(groups * rowsEach()));
  sums = frame.loop(eval.i64(0), eval.i64(steps), sums, [&](Value k, ValueRange carried) -> CodeFrame::Carry {
    CodeFrame::Carry next(carried);
    Value isColumn = isEqual(column, k);
    for (unsigned i = 0; i < rowsEach(); ++i)
      frame.when(both(isColumn, isFrom(row(i), k)), [&] { store(next[i], diagonal, element, inTile(row(i), k)); });
    frame.barrier();
    Value pivot = root(load(diagonal, element, inTile(k, k)));
    frame.when(both(isDivider, isFrom(frame.thread, k)), [&] {
      Value place = inTile(frame.thread, k);
      Value factor = choose(isEqual(frame.thread, k), pivot, divided(load(diagonal, element, place), pivot));
      store(factor, factors, element, place);
    });
    frame.barrier();
    for (unsigned i = 0; i < rowsEach(); ++i)
      next[i] = either(
          both(isFrom(column, k), isFrom(row(i), column)), element,
          [&] {
            Value factor = load(factors, element, inTile(row(i), k));
            return choose(isColumn, factor, less(next[i], factor, load(factors, element, inTile(column, k))));
          },
          [&] { return next[i]; });
    return next;
  });
  for (unsigned i = 0; i < rowsEach(); ++i)
    sums[i] = choose(isFrom(row(i), column), sums[i], zero);
}

/// Solves a tile below the diagonal. Each warp has whole rows, so that lanes exchange values by shuffles.
void CholeskyKernel::solveTile(Values &sums) {
  sums = frame.loop(eval.i64(0), eval.i64(kTile), sums, [&](Value k, ValueRange carried) -> CodeFrame::Carry {
    Value pivot = load(factors, element, inTile(k, k)), factor = load(factors, element, inTile(frame.max(column, k), k));
    Value lane = arith::TruncIOp::create(b, loc, b.getI32Type(), k), isOwn = isEqual(column, k);
    CodeFrame::Carry next;
    for (Value sum : carried) {
      Value known = divided(frame.fromThread(sum, lane), pivot);
      next.push_back(choose(isOwn, known, choose(isFrom(column, k), less(sum, known, factor), sum)));
    }
    return next;
  });
}

void CholeskyKernel::writeTile(ArrayRef<Value> sums, Value top, Value left) {
  for (unsigned i = 0; i < rowsEach(); ++i) {
    Value y = eval.add(top, row(i)), x = eval.add(left, column);
    frame.when(both(isInside(y), isInside(x)), [&] { store(sums[i], l, element, inMatrix(y, x)); });
  }
}

enum class CholeskyMethod { Registers, Tiles };
constexpr StringLiteral kCholeskyMethods[] = {"registers", "tiles"};

struct CholeskySchedule {
  CholeskyMethod method = CholeskyMethod::Tiles;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kCholeskyMethods);
  }
};

class CholeskyForm : public RowForm<CholeskySchedule, CholeskyOp> {
public:
  CholeskyForm() : RowForm("cholesky") {}

private:
  static bool fitsRegisters(Operation *op) {
    Dim size = MatrixKernel::sizeOf(op);
    return size.isStatic() && size.constant() <= tuning::kCholeskyInRegisters;
  }
  CholeskySchedule chooseRows(KernelOp, Operation *op) const override {
    return {fitsRegisters(op) ? CholeskyMethod::Registers : CholeskyMethod::Tiles};
  }
  LogicalResult checkRows(KernelOp, Operation *op, const CholeskySchedule &schedule) const override {
    if (schedule.method == CholeskyMethod::Registers && !fitsRegisters(op))
      return op->emitError("a schedule with 'method' registers: registers hold matrices of a known size up to ")
             << tuning::kCholeskyInRegisters;
    return success();
  }
  KernelCode emitRows(KernelOp kernel, Operation *op, const CholeskySchedule &schedule,
                      const FunctionPlace &place) const override {
    auto cholesky = cast<CholeskyOp>(op);
    return schedule.method == CholeskyMethod::Registers ? CholeskyKernel(kernel, cholesky, place, 128).byMatrices()
                                                        : CholeskyKernel(kernel, cholesky, place, 256).byTiles();
  }
};
} // namespace

const Form &lathe::gpu::choleskyForm() {
  static const CholeskyForm form;
  return form;
}
