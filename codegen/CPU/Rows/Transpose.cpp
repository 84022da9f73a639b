// The code of a lone transpose:
//
//   for matrix                                            // threads share matrices, or the blocks of a single one
//     for `block` columns of the operand
//       for `line` rows of the operand
//         for `tile` columns, for `tile` rows: load a square, transpose it in registers, store it
//     copy the remaining rows and columns element by element
//
// Few rows whose elements become adjacent, as the planes of an image of three channels, are interleaved instead, `tile` columns
// of all rows at a time. Few columns whose elements are adjacent are taken apart, `tile` rows at a time.
//
// Squares let both tensors be accessed in vectors and whole cache lines. A loop nest would access one of them element by
// element. If its rows were a power of two apart, each step would evict the cache line that the next one needs.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Tiles/Interleave.h"
#include "codegen/CPU/Tiles/Squares.h"
#include "codegen/CPU/Tuning.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kLeastTile = 4;
constexpr int64_t kMostInterleaved = 8; // rows or columns: the shuffles grow with their square

/// A transpose of the fewest dimensions: dimensions that stay adjacent are merged, those of extent 1 are dropped.
struct Transposition {
  SmallVector<int64_t> permutation; // the operand's dimension for each one of the result
  Dims extents;                     // of the result

  explicit Transposition(TransposeOp op) {
    Dims from = dimsOf(op.getOperand());
    SmallVector<int64_t> rank(from.size()), firsts;
    int64_t kept = 0, last = -2;
    for (auto [i, extent] : llvm::enumerate(from))
      rank[i] = extent.isStatic(1) ? -1 : kept++;
    for (int64_t source : op.getPermutation()) {
      if (rank[source] < 0)
        continue;
      if (rank[source] == last + 1) {
        extents.back() = extents.back() * from[source];
      } else {
        firsts.push_back(rank[source]);
        extents.push_back(from[source]);
      }
      last = rank[source];
    }
    for (int64_t first : firsts)
      permutation.push_back(llvm::count_if(firsts, [&](int64_t other) { return other < first; }));
  }

  int64_t dims() const { return permutation.size(); }
  /// Returns the result's dimension that is the operand's last.
  int64_t operandLast() const { return llvm::find(permutation, dims() - 1) - permutation.begin(); }
  /// Strides of a dimension of the result, in the result and in the operand, in elements.
  Dim resultStride(int64_t dim) const {
    return strideBy([&](int64_t other) { return other > dim; });
  }
  Dim operandStride(int64_t dim) const {
    return strideBy([&](int64_t other) { return permutation[other] > permutation[dim]; });
  }
  /// True if the elements of few rows become adjacent.
  bool interleaves() const { return isFew(dims() - 1) && operandLast() == dims() - 2; }
  /// True if the elements of few columns are adjacent in the operand.
  bool takesApart() const { return isFew(operandLast()) && permutation.back() == dims() - 2 && !interleaves(); }
  /// Returns the dimensions of the result other than its last and the operand's last.
  SmallVector<int64_t> outer() const {
    return llvm::to_vector(llvm::make_filter_range(llvm::seq(dims() - 1), [&](int64_t dim) { return dim != operandLast(); }));
  }

private:
  /// True if a dimension of the result has few elements, other than those that squares fill.
  bool isFew(int64_t dim) const {
    const Dim &extent = extents[dim];
    bool fillsSquares = extent.isStatic() && extent.constant() >= kLeastTile && llvm::isPowerOf2_64(extent.constant());
    return dims() > 1 && extent.isStatic() && extent.constant() > 1 && extent.constant() <= kMostInterleaved && !fillsSquares;
  }
  Dim strideBy(function_ref<bool(int64_t)> isInside) const {
    Dim stride(1);
    for (int64_t dim = 0; dim < dims(); ++dim)
      if (isInside(dim))
        stride = stride * extents[dim];
    return stride;
  }
};

/// The schedule of a transpose.
struct TransposeSchedule {
  int64_t tile = 1;  // rows and columns of the squares in registers
  int64_t line = 1;  // rows of the operand that are copied before the next columns
  int64_t block = 1; // columns of the operand, which are rows of the result, that are copied together

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("tile", tile, 1, 64);
    visitor("line", line, 1, 1 << 12);
    visitor("block", block, 1, 1 << 12);
  }
};

/// The squares of a range of the operand's columns, in blocks of whole cache lines.
struct Squares {
  Type element;
  const TransposeSchedule &schedule;

  struct Range {
    Value from, to, rowStride, columnStride, firstColumn, lastColumn, rows; // `rows` is a multiple of the square's
  };

  /// Emits the squares in a function that kernels share: LLVM takes long for their shuffles. The distances between rows are its
  /// arguments.
  void call(KernelFrame &frame, const Range &range) const {
    Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
    std::string symbol = "transpose_" + std::to_string(element.getIntOrFloatBitWidth());
    for (int64_t part : {schedule.tile, schedule.line, schedule.block})
      symbol += "_" + std::to_string(part);
    auto emitIn = [&](CodeFrame &inside, ArrayRef<Value> given) {
      emit(inside, {given[0], given[1], given[2], given[3], given[4], given[5], given[6]});
    };
    auto function = sharedFunction(frame, symbol, {pointer, pointer, i64, i64, i64, i64, i64}, emitIn);
    LLVM::CallOp::create(
        frame.b, frame.loc, function,
        ValueRange{range.from, range.to, range.rowStride, range.columnStride, range.firstColumn, range.lastColumn, range.rows});
  }

private:
  void emit(CodeFrame &frame, const Range &range) const {
    PointEvaluator &eval = frame.eval;
    int64_t tile = schedule.tile;
    frame.loop(range.firstColumn, range.lastColumn, schedule.block, [&](Value low) {
      Value high = eval.min(eval.add(low, eval.i64(schedule.block)), range.lastColumn);
      frame.loop(eval.i64(0), range.rows, schedule.line, [&](Value top) {
        Value bottom = eval.min(eval.add(top, eval.i64(schedule.line)), range.rows);
        frame.loop(low, high, tile, [&](Value column) {
          frame.loop(top, bottom, tile, [&](Value row) { emitSquare(frame, range, row, column); });
        });
      });
    });
  }

  /// Emits a square, whose lines are each a stride behind the one before: their addresses are sums.
  void emitSquare(CodeFrame &frame, const Range &range, Value row, Value column) const {
    PointEvaluator &eval = frame.eval;
    eval.lanes = schedule.tile;
    auto forLines = [&](Value line, Value stride, function_ref<void(int64_t, Value)> body) {
      for (int64_t i = 0; i < schedule.tile; ++i, line = frame.at(line, element, stride))
        body(i, line);
    };
    SmallVector<Value> lines(schedule.tile);
    forLines(frame.at(range.from, element, eval.add(eval.mul(row, range.rowStride), column)), range.rowStride,
             [&](int64_t i, Value line) { lines[i] = frame.loadLanes(line, element); });
    transposeLanes(frame, lines);
    forLines(frame.at(range.to, element, eval.add(eval.mul(column, range.columnStride), row)), range.columnStride,
             [&](int64_t i, Value line) { frame.storeLanes(lines[i], line); });
    eval.lanes = 1;
  }
};

class TransposeEmitter {
public:
  TransposeEmitter(RowFrame &frame, TransposeOp op, const TransposeSchedule &schedule, KernelCode &code)
      : frame(frame), eval(frame.eval), form(op), code(code),
        bytes(std::max(1u, getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() / 8)),
        element(frame.b.getIntegerType(bytes * 8)), from(frame.buffers.lookup(op.getOperand())), to(frame.output(0)),
        columns(form.extents[form.operandLast()]), rows(form.extents.back()),
        rowStride(eval.extent(form.operandStride(form.dims() - 1))),
        columnStride(eval.extent(form.resultStride(form.operandLast()))), schedule(schedule), tile(schedule.tile) {}

  void emit() {
    SmallVector<int64_t> outer = form.outer();
    Dim matrices(1);
    for (int64_t dim : outer)
      matrices = matrices * form.extents[dim];
    code.work = matrices * columns * rows;
    if (outer.empty()) { // threads share blocks of columns, or of rows if there are few columns
      code.extent = form.takesApart() ? rows : columns;
      code.unit = schedule.block;
      Value unit = eval.i64(code.unit);
      return emitMatrix(eval.mul(frame.begin, unit), eval.min(eval.mul(frame.end, unit), eval.extent(code.extent)));
    }
    code.extent = matrices;
    Value wholeFrom = from, wholeTo = to;
    frame.loop(frame.begin, frame.end, 1, [&](Value matrix) {
      from = wholeFrom;
      to = wholeTo;
      for (int64_t dim : llvm::reverse(outer)) {
        Value extent = eval.extent(form.extents[dim]);
        Value place = dim == outer.front() ? matrix : frame.remainder(matrix, extent);
        matrix = dim == outer.front() ? matrix : frame.divide(matrix, extent);
        from = frame.at(from, element, eval.mul(place, eval.extent(form.operandStride(dim))));
        to = frame.at(to, element, eval.mul(place, eval.extent(form.resultStride(dim))));
      }
      emitMatrix(eval.i64(0), eval.extent(form.takesApart() ? rows : columns));
    });
  }

private:
  /// Emits the transpose of a range of the operand's columns, for all rows, or of rows if there are few columns.
  void emitMatrix(Value first, Value last) {
    if (form.interleaves() || form.takesApart())
      return emitFew(first, last);
    emitColumns(first, last);
  }

  /// Interleaves few rows, or takes few columns apart.
  void emitFew(Value first, Value last) {
    bool apart = form.takesApart();
    int64_t count = apart ? columns.constant() : rows.constant();
    Value whole = eval.sub(last, frame.remainder(eval.sub(last, first), tile));
    frame.loop(first, whole, tile, [&](Value place) {
      eval.lanes = tile;
      SmallVector<Value> lines;
      auto adjacent = [&](Value buffer, int64_t line) {
        return frame.at(frame.at(buffer, element, eval.mul(place, eval.i64(count))), element, line * tile);
      };
      for (int64_t i = 0; i < count; ++i)
        lines.push_back(frame.loadLanes(apart ? adjacent(from, i) : operandAt(eval.i64(i), place), element));
      apart ? takeLanesApart(frame, lines) : interleaveLanes(frame, lines);
      for (int64_t i = 0; i < count; ++i)
        frame.storeLanes(lines[i], apart ? resultAt(place, eval.i64(i)) : adjacent(to, i));
      eval.lanes = 1;
    });
    Value none = eval.i64(0), all = eval.i64(count);
    apart ? copy(none, all, whole, last) : copy(whole, last, none, all);
  }

  /// Emits a range of columns: first squares, then the remainder.
  void emitColumns(Value firstColumn, Value lastColumn) {
    Value count = eval.extent(rows), none = eval.i64(0);
    Value wholeRows = eval.mul(frame.divide(count, tile), eval.i64(tile));
    Value width = eval.sub(lastColumn, firstColumn);
    Value lastWhole = eval.add(firstColumn, eval.mul(frame.divide(width, tile), eval.i64(tile)));
    Squares{element, schedule}.call(frame, {from, to, rowStride, columnStride, firstColumn, lastWhole, wholeRows});
    copy(firstColumn, lastWhole, wholeRows, count);
    copy(lastWhole, lastColumn, none, count);
  }

  Value operandAt(Value row, Value column) { return frame.at(from, element, eval.add(eval.mul(row, rowStride), column)); }
  Value resultAt(Value row, Value column) { return frame.at(to, element, eval.add(eval.mul(column, columnStride), row)); }

  void copy(Value firstColumn, Value lastColumn, Value firstRow, Value lastRow) {
    frame.loop(firstColumn, lastColumn, 1, [&](Value column) {
      frame.loop(firstRow, lastRow, 1,
                 [&](Value row) { frame.storeOne(frame.loadOne(operandAt(row, column), element), resultAt(row, column)); });
    });
  }

  RowFrame &frame;
  PointEvaluator &eval;
  Transposition form;
  KernelCode &code;
  int64_t bytes;
  Type element;                  // integers of the same size
  Value from, to;                // of the current matrix
  Dim columns, rows;             // of the operand's matrices
  Value rowStride, columnStride; // in the operand, in the result
  const TransposeSchedule &schedule;
  int64_t tile;
};
} // namespace

/// True if the kernel is a lone transpose that is large enough for tiles, or of few rows or columns.
static bool isTiled(TransposeOp op) {
  if (!isAlone(op))
    return false;
  Transposition form(op);
  auto isLong = [](const Dim &extent) { return !extent.isStatic() || extent.constant() >= kLeastTile; };
  return form.dims() > 1 && form.permutation.back() != form.dims() - 1 &&
         (form.interleaves() || form.takesApart() || (isLong(form.extents.back()) && isLong(form.extents[form.operandLast()])));
}

/// Returns the side of the largest square: at most a register of elements, and at most the shorter static side, of few rows or
/// columns the longer one.
static int64_t largestTile(TransposeOp op, const VectorTarget &target) {
  Transposition form(op);
  int64_t bytes = std::max(1u, getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() / 8);
  int64_t tile = std::min<int64_t>(target.lanes(bytes), 16);
  for (const Dim &side : {form.extents[form.operandLast()], form.extents.back()})
    if (side.isStatic() && (side.constant() > kMostInterleaved || (!form.interleaves() && !form.takesApart())))
      tile = std::min<int64_t>(tile, llvm::bit_floor(uint64_t(side.constant())));
  return tile;
}

/// Returns the number of rows, `stride` bytes apart, of which the first-level cache keeps a line each. Distances of a
/// power of two meet few of its sets. Caches with more than a page for each way are not known, so that a page has all sets.
static int64_t cachedRows(int64_t stride, const VectorTarget &target) {
  constexpr int64_t kLine = VectorTarget::kCacheLineBytes, kPage = 4096;
  int64_t lines = target.firstCacheBytes / kLine;
  return stride % kLine == 0 ? lines * kLine / std::gcd(stride, kPage) : lines;
}

/// Returns the rows of the result that are written together: as many as the first-level cache keeps, and a line's number where
/// it keeps all rows of the operand, so that a line that two blocks read is read from memory once.
static int64_t chooseBlock(TransposeOp op, const VectorTarget &target, int64_t bytes) {
  Transposition form(op);
  Dim read = form.operandStride(form.dims() - 1), written = form.resultStride(form.operandLast()), rows = form.extents.back();
  int64_t line = VectorTarget::kCacheLineBytes / bytes;
  if (!read.isStatic() || !written.isStatic() || !rows.isStatic())
    return tuning::kTransposedLines * line;
  bool staysCached = rows.constant() <= cachedRows(read.constant() * bytes, target);
  int64_t wanted = staysCached ? line : tuning::kMostTransposedLines * line;
  int64_t kept = std::min(wanted, cachedRows(written.constant() * bytes, target));
  return std::max(line, kept / line * line);
}

namespace {
class TransposeForm : public RowForm<TransposeSchedule, TransposeOp> {
public:
  TransposeForm() : RowForm("transpose") {}
  bool canCompute(Operation *hero, const VectorTarget &) const override { return isTiled(cast<TransposeOp>(hero)); }

protected:
  TransposeSchedule chooseRows(Operation *op, const VectorTarget &target) const override {
    int64_t bytes = std::max(1u, getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() / 8);
    int64_t tile = largestTile(cast<TransposeOp>(op), target), line = VectorTarget::kCacheLineBytes / bytes;
    return {tile, std::max(tile, line), std::max(tile, chooseBlock(cast<TransposeOp>(op), target, bytes))};
  }
  LogicalResult checkRows(Operation *op, const TransposeSchedule &schedule, const VectorTarget &target) const override {
    int64_t most = largestTile(cast<TransposeOp>(op), target);
    if (!llvm::isPowerOf2_64(schedule.tile) || schedule.tile > most)
      return op->emitError("a schedule with 'tile' ") << schedule.tile << "; expected a power of two up to " << most;
    if (schedule.line % schedule.tile != 0 || schedule.block % schedule.tile != 0)
      return op->emitError("a schedule with 'line' ")
             << schedule.line << " and 'block' " << schedule.block << "; expected multiples of 'tile', " << schedule.tile;
    return success();
  }
  void emitRows(RowFrame &frame, Operation *op, const TransposeSchedule &schedule, KernelCode &code) const override {
    TransposeEmitter(frame, cast<TransposeOp>(op), schedule, code).emit();
  }
};
} // namespace

const Form &lathe::cpu::transposeForm() {
  static const TransposeForm form;
  return form;
}
