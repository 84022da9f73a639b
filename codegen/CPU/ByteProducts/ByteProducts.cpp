// The code of a product of bytes, for the rows of a call:
//
//   for matrix, for block of `block_rows` rows
//     block = lhs[rows]                                   // packed; an output's taps if it is a convolution
//     for group of columns
//       columns = rhs[group]                              // packed, unless rhs is a constant that is stored in panels
//       for tile of `rows` rows
//         for tile of `vectors * lanes` columns: sums = block[tile] * columns[tile] - zero point * sums of the columns
//         for row of the tile: results[row, group] = epilogue(sums[row])
//
// A group of columns is a byte panel, or as many as a tile. A zero point is not subtracted from the factors: the products have
// the bytes as they are, and the sum of each column's factors, which is stored with the panel, corrects them. Sums wrap, so
// that the results are exact modulo 2^32.
#include "codegen/CPU/ByteProducts/ByteProducts.h"
#include "codegen/CPU/ByteProducts/ByteTile.h"
#include "codegen/CPU/ByteProducts/Choice.h"
#include "codegen/CPU/ByteProducts/Pack.h"
#include "codegen/CPU/Tiles/FetchAhead.h"
#include "codegen/CPU/Tiles/Parts.h"
#include "codegen/CPU/Tuning.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static bool isInPanels(const ByteProductShape &shape) {
  auto argument = cast<BlockArgument>(shape.rhs);
  return panelWidthOf(cast<KernelOp>(argument.getOwner()->getParentOp()), argument.getArgNumber());
}

namespace {
class ByteProductEmitter {
public:
  ByteProductEmitter(KernelFrame &frame, const ByteProductShape &shape, const ByteProductSchedule &schedule)
      : frame(frame), eval(frame.eval), shape(shape), tile(schedule.tile), method(schedule.method),
        blockRows(schedule.blockRows), packed(shape, method, frame.target), panel{shape.depth}, inPanels(isInPanels(shape)),
        width(groupColumns(tile)), byte(frame.b.getI8Type()), i32(frame.b.getI32Type()), rows(eval.extent(shape.rows)) {
    block = frame.stack(byte, blockRows * packed.pitch());
    words = method == ByteMethod::Mixed ? frame.stack(byte, blockRows * packed.wordPitch()) : block;
    sums = frame.stack(i32, tile.rows * width);
    if (!inPanels)
      columns = frame.stack(byte, width / BytePanel::kColumns * panel.bytes());
    zero = shape.lhs.zero ? zeroPoint() : Value();
  }

  int64_t groups() const { return llvm::divideCeil(shape.columns, width); }
  /// Rows are counted fastest, then groups of columns, then blocks of rows.
  Dim extent() const { return shape.allRows() * Dim(groups()); }
  /// A work item has a block's rows for several groups of columns, because each chunk of items packs its rows again.
  int64_t unit() const {
    int64_t rows = shape.rows.isStatic() ? blockRows : int64_t(tile.rows);
    return rows * std::min(groups(), tuning::kByteGroups);
  }

  void emit() {
    Value items = eval.i64(unit()), all = eval.i64(groups()), most = eval.i64(blockRows);
    Value first = eval.mul(frame.begin, items), last = eval.min(eval.mul(frame.end, items), eval.extent(extent()));
    Value ofMatrix = eval.mul(frame.max(rows, eval.i64(1)), all); // avoids a division by zero if there are no rows
    forParts(frame, first, last, ofMatrix, [&](Value matrix, Value low, Value high) {
      setMatrix(matrix);
      if (method == ByteMethod::Mixed)
        hasOthers = readsWords();
      forParts(frame, low, high, eval.mul(most, all), [&](Value number, Value low, Value high) {
        top = eval.mul(number, most);
        Value height = frame.max(eval.min(eval.sub(rows, top), most), eval.i64(1));
        packed.pack(frame, lhs, zero, top, eval.min(height, rows), block);
        if (method == ByteMethod::Mixed)
          frame.when(hasOthers, [&] { packed.widen(frame, block, eval.min(height, rows), words); });
        forParts(frame, low, high, height, [&](Value group, Value low, Value high) { emitGroup(group, low, high); });
      });
    });
  }

private:
  /// Returns whether a panel of the current matrix has groups of which only i16 are exact.
  Value readsWords() {
    if (!looksForOthers())
      return arith::ConstantOp::create(frame.b, frame.loc, frame.b.getBoolAttr(true));
    Type i16 = frame.b.getI16Type();
    Value none = arith::ConstantOp::create(frame.b, frame.loc, frame.b.getBoolAttr(false));
    return frame.loop(eval.i64(0), eval.i64(shape.panels()), none, [&](Value number, ValueRange carried) {
      Value table = frame.at(frame.at(rhs, byte, eval.mul(number, eval.i64(panel.bytes()))), byte, panel.tableOffset());
      auto endOf = [&](BytePanel::Section section) { return frame.loadOne(frame.at(table, i16, section), i16); };
      Value differs = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::ne, endOf(BytePanel::FittingGroups),
                                            endOf(BytePanel::OtherGroups));
      return CodeFrame::Carry{arith::OrIOp::create(frame.b, frame.loc, carried[0], differs)};
    })[0];
  }

  /// True if widening a block costs more than reading the tables of all panels.
  bool looksForOthers() const { return blockRows * packed.wordPitch() / frame.target.vectorBytes > shape.panels(); }

  /// Returns the zero point of lhs, whose tensor has one value.
  Value zeroPoint() {
    SmallVector<Index> anywhere(dimsOf(shape.lhs.zero).size(), eval.uniform(eval.i64(0)));
    eval.lanes = 1;
    eval.nextPoint();
    return eval.tensor(shape.lhs.zero, anywhere);
  }

  void setMatrix(Value matrix) {
    place.assign(dimsOf(shape.result).size(), Index());
    lhs = frame.buffers.lookup(shape.lhs.bytes);
    rhs = frame.buffers.lookup(shape.rhs);
    for (const ContractionShape::Outer &outer : llvm::reverse(shape.outer)) {
      Value extent = eval.extent(outer.extent);
      bool isSlowest = &outer == shape.outer.begin();
      Value index = isSlowest ? matrix : frame.remainder(matrix, extent);
      matrix = isSlowest ? matrix : frame.divide(matrix, extent);
      place[outer.resultDim] = eval.uniform(index);
      lhs = frame.at(lhs, byte, eval.mul(index, eval.extent(outer.lhsStride)));
      rhs = frame.at(rhs, byte, eval.mul(index, eval.i64(rhsStrideOf(outer))));
    }
  }

  /// Returns the distance in rhs of the matrices of an outer dimension, in bytes as they are stored.
  int64_t rhsStrideOf(const ContractionShape::Outer &outer) const {
    int64_t stride = outer.rhsStride.constant();
    return inPanels ? stride / (shape.depth * shape.columns) * shape.panels() * panel.bytes() : stride;
  }

  /// Emits the rows [low, high) of the current block for a group of columns.
  void emitGroup(Value group, Value low, Value high) {
    Value first = eval.mul(group, eval.i64(width));
    Value from = frame.at(rhs, byte, eval.mul(first, eval.i64(panel.bytes() / BytePanel::kColumns)));
    if (!inPanels) {
      packColumns(frame, shape, rhs, first, width / BytePanel::kColumns, columns);
      from = columns;
    }
    int64_t whole = shape.columns / width, rest = shape.columns % width;
    auto emitWhole = [&] { emitRows(first, width, from, low, high); };
    auto emitRest = [&] { emitRows(first, rest, from, low, high); };
    if (whole == 0 || rest == 0)
      return whole ? emitWhole() : emitRest();
    Value isWhole = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, group, eval.i64(whole));
    frame.choose(isWhole, emitWhole, emitRest);
  }

  /// Emits `count` columns from `first` on, whose panels begin at `from`.
  void emitRows(Value first, int64_t count, Value from, Value low, Value high) {
    ahead = aheadOf(count, from, eval.sub(high, low));
    forTiles(frame, tile.rows, 1, eval.sub(high, low), [&](Value done, Value height) {
      Value row = eval.add(low, done);
      selectHeight(frame, height, heightsOf(tile.rows, 1), [&](unsigned rows) { callTiles(rows, count, row, from, done); });
      CodeFrame::Carry indices;
      for (const Index &index : frame.indicesOf(eval.add(top, row), shape.rowDims))
        indices.push_back(index.base);
      frame.loop(eval.i64(0), height, indices, [&](Value i, ValueRange current) {
        finishRow(current, i, first, count);
        return nextRow(current);
      });
    });
  }

  /// Returns the indices of the row after the one at `indices`. Divisions for each row would take as long as its epilogue.
  CodeFrame::Carry nextRow(ValueRange indices) {
    CodeFrame::Carry next(indices);
    Value step = eval.i64(1);
    for (size_t dim = next.size(); dim-- > 0;) {
      next[dim] = eval.add(next[dim], step);
      if (dim == 0)
        break;
      Value isEnd =
          arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, next[dim], eval.extent(shape.rowDims[dim]));
      next[dim] = arith::SelectOp::create(frame.b, frame.loc, isEnd, eval.i64(0), next[dim]);
      step = arith::ExtUIOp::create(frame.b, frame.loc, frame.b.getI64Type(), isEnd);
    }
    return next;
  }

  /// Returns what the tiles of `count` rows fetch while they meet some columns, whose panels begin at `from`: those behind.
  FetchAhead aheadOf(int64_t columns, Value from, Value count) {
    bool hasTiles = FetchAhead::hasTiles(shape.rows, tile.rows);
    if (!inPanels || method != ByteMethod::Dots || !hasTiles || columns != width || groups() == 1)
      return {};
    int64_t bytes = width / BytePanel::kColumns * panel.bytes(), calls = width / (int64_t(tile.vectors) * tile.lanes);
    return {frame, frame.at(from, byte, bytes), bytes, count, tile.rows, calls * panel.groups()};
  }

  void callTiles(unsigned rows, int64_t count, Value row, Value from, Value done) {
    int64_t each = int64_t(tile.vectors) * tile.lanes;
    if (each > count) // whole panels, as a tile would read a panel that does not exist
      each = std::min<int64_t>(each, llvm::alignTo(count, BytePanel::kColumns));
    ByteTile code{rows, unsigned(each / tile.lanes), tile.lanes, method, packed.hasZero(), bool(ahead)};
    frame.loop(eval.i64(0), eval.i64(count), each, [&](Value column) {
      ByteTile::Arguments a;
      a.bytes = frame.at(block, byte, eval.mul(row, eval.i64(packed.pitch())));
      a.words = method == ByteMethod::Mixed ? frame.at(words, byte, eval.mul(row, eval.i64(packed.wordPitch()))) : a.bytes;
      a.bytePitch = eval.i64(packed.bytePitch());
      a.wordPitch = eval.i64(packed.wordPitch());
      a.rhs = frame.at(from, byte, eval.mul(column, eval.i64(BytePanel::kGroup)));
      a.columnSums = frame.at(frame.at(from, byte, panel.sumsOffset()), i32, column);
      a.table = frame.at(from, byte, panel.tableOffset());
      a.groups = eval.i64(panel.groups());
      a.panelBytes = eval.i64(panel.bytes());
      a.zero = packed.packedZero(frame, zero);
      a.sums = frame.at(sums, i32, column);
      a.sumsPitch = eval.i64(width);
      a.ahead = ahead.at(frame, done, eval.mul(frame.divide(column, each), a.groups));
      a.aheadPitch = ahead.pitch();
      code.call(frame, a);
    });
  }

  /// Computes the kernel's results at the row's indices from row `inTile` of the sums: in vectors of a panel's columns, then of
  /// half of them, and so on, so that no lane is masked off.
  void finishRow(ValueRange indices, Value inTile, Value first, int64_t count) {
    for (auto [dim, index] : llvm::enumerate(indices))
      place[shape.firstRowDim + dim] = eval.uniform(index);
    Value from = frame.at(sums, i32, eval.mul(inTile, eval.i64(width)));
    for (int64_t done = 0, lanes = BytePanel::kColumns; done < count;) {
      if (count - done < lanes) {
        lanes /= 2;
        continue;
      }
      eval.lanes = lanes;
      eval.nextPoint();
      finishVector(frame, shape.result, frame.at(from, i32, done), eval.add(first, eval.i64(done)), 0, place);
      done += lanes;
    }
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  const ByteProductShape &shape;
  TileShape tile;
  ByteMethod method;
  int64_t blockRows;
  PackedRows packed;
  BytePanel panel;
  bool inPanels;
  int64_t width; // of a group of columns
  Type byte, i32;
  Value block, words;  // packed rows, on the stack; `words` is the same or holds them as i16
  Value columns, sums; // on the stack; `columns` unless rhs is in panels
  Value hasOthers;     // whether a panel has groups that need `words`
  Value zero;          // of lhs, i32; null for 0
  Value rows, top;     // of a matrix; first row of the block
  FetchAhead ahead;    // of the current columns
  Value lhs, rhs;      // of the current matrix
  SmallVector<Index> place;
};

class ByteProductForm : public FormOf<ByteProductSchedule> {
public:
  ByteProductForm() : FormOf("byte_product") {}

  bool isHero(Operation *op) const override { return isa<DotGeneralOp, ConvOp>(op); }
  bool readsPanels() const override { return true; }
  bool canCompute(Operation *hero, const VectorTarget &) const override { return ByteProductShape::of(hero).has_value(); }

protected:
  FailureOr<ByteProductSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    ByteProductShape shape = *ByteProductShape::of(heroOf(kernel));
    return chooseByteProduct(shape, isInPanels(shape), target);
  }

  LogicalResult check(KernelOp kernel, const ByteProductSchedule &schedule, const VectorTarget &target) const override {
    ByteProductShape shape = *ByteProductShape::of(heroOf(kernel));
    unsigned rhs = cast<BlockArgument>(shape.rhs).getArgNumber();
    if (isInPanels(shape) && !constantOf(kernel.getOperand(rhs)))
      return kernel.emitError("operand ") << rhs << " is in panels, but it is not a constant";
    return checkByteProduct(kernel, shape, isInPanels(shape), schedule, target);
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const ByteProductSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    Operation *hero = heroOf(kernel);
    for (Value operand : hero->getOperands()) // the contracted dimensions do not occur in the result
      for (const Dim &dim : dimsOf(operand))
        collectFactors(dim, loops->symbols);
    ByteProductShape shape = *ByteProductShape::of(hero);
    KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
    ByteProductEmitter emitter(frame, shape, schedule);
    emitter.emit();
    frame.close();
    KernelCode code;
    code.function = at.function;
    code.symbols = frame.loops.symbols;
    code.extent = emitter.extent();
    code.unit = emitter.unit();
    code.work = shape.allRows() * Dim(shape.depth * shape.columns);
    code.threadWork = tuning::kThreadProducts;
    return code;
  }
};
} // namespace

const Form &lathe::cpu::byteProductForm() {
  static const ByteProductForm form;
  return form;
}

std::optional<PanelChoice> lathe::cpu::chooseBytePanels(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto product = llvm::find_if(body, [](Operation &op) { return multipliesBytes(&op); });
  if (product == body.end())
    return std::nullopt;
  auto rhs = dyn_cast<BlockArgument>(centredBytes(product->getOperand(1))->bytes);
  bool isOnlyRead = rhs && rhs.hasOneUse() && product->getOperand(1).hasOneUse();
  return isOnlyRead ? std::optional(PanelChoice{rhs.getArgNumber(), BytePanel::kColumns}) : std::nullopt;
}
