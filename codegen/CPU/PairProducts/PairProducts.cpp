// The code of a product of bf16 in pairs, for the rows of a call:
//
//   for block of `block_rows` rows, for group of columns        // as many as a tile
//     columns = pairs of rhs[:, group]                          // packed, unless rhs is a constant that is stored in panels
//     for tile of `rows` rows: sums = lhs[tile] * columns
//       for row of the tile: results[row, group] = epilogue(sums[row])
//
// Two adjacent elements of a row of lhs are a pair in memory, so that lhs is read in place.
#include "codegen/CPU/PairProducts/PairProducts.h"
#include "codegen/CPU/PairProducts/Choice.h"
#include "codegen/CPU/PairProducts/PairTile.h"
#include "codegen/CPU/Tiles/Parts.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Analysis/PairProducts.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

bool lathe::cpu::multipliesPairs(const VectorTarget &target) {
  return target.hasBF16Dots && target.lanes(sizeof(float)) == PairTile::kLanes && llvm::Triple(target.triple).isX86();
}

namespace {
class PairProductEmitter {
public:
  PairProductEmitter(KernelFrame &frame, const PairProductShape &shape, const PairProductSchedule &schedule)
      : frame(frame), eval(frame.eval), shape(shape), tile(schedule.tile), blockRows(schedule.blockRows),
        width(int64_t(tile.vectors) * tile.lanes), half(frame.b.getI16Type()), pair(frame.b.getI32Type()),
        single(frame.b.getF32Type()), rows(eval.extent(shape.rows)), lhs(frame.buffers.lookup(shape.lhs)),
        rhs(frame.buffers.lookup(shape.rhs)), place(dimsOf(shape.op->getResult(0)).size()) {
    sums = frame.stack(single, tile.rows * width);
    if (!shape.panel)
      columns = frame.stack(pair, shape.pairs() * width);
  }

  int64_t groups() const { return llvm::divideCeil(shape.columns, width); }
  /// Rows are counted fastest, then groups of columns, then blocks of rows.
  Dim extent() const { return shape.rows * Dim(groups()); }
  /// Each work item packs the columns that it reads, unless they are in panels, and has many rows then.
  int64_t unit() const {
    constexpr int64_t kSharing = 128;
    return shape.panel ? int64_t(tile.rows) : std::min(blockRows, kSharing);
  }

  void emit() {
    Value items = eval.i64(unit()), all = eval.i64(groups()), most = eval.i64(blockRows);
    Value first = eval.mul(frame.begin, items), last = eval.min(eval.mul(frame.end, items), eval.extent(extent()));
    forParts(frame, first, last, eval.mul(most, all), [&](Value block, Value low, Value high) {
      top = eval.mul(block, most);
      Value height = frame.max(eval.min(eval.sub(rows, top), most), eval.i64(1)); // avoids a division by zero
      forParts(frame, low, high, height, [&](Value group, Value low, Value high) { emitGroup(group, low, high); });
    });
  }

private:
  /// Emits the rows [low, high) of the current block for a group of columns.
  void emitGroup(Value group, Value low, Value high) {
    Value first = eval.mul(group, eval.i64(width));
    int64_t whole = shape.columns / width, rest = shape.columns % width;
    auto emitWhole = [&] { emitColumns(first, width, low, high); };
    auto emitRest = [&] {
      int64_t most = shape.panel ? std::min(shape.panel, width) : width; // a tile of several panels has only full ones
      for (int64_t done = 0; done < rest; done += most)
        emitColumns(eval.add(first, eval.i64(done)), std::min(most, rest - done), low, high);
    };
    if (whole == 0 || rest == 0)
      return whole ? emitWhole() : emitRest();
    Value isWhole = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, group, eval.i64(whole));
    frame.choose(isWhole, emitWhole, emitRest);
  }

  /// Emits `count` columns from `first` on, at most as many as a tile.
  void emitColumns(Value first, int64_t count, Value low, Value high) {
    unsigned vectors = llvm::divideCeil(count, tile.lanes);
    Value from = columns;
    if (shape.panel)
      from = inPanels(first);
    else
      packColumns(first, count);
    int64_t pitch = shape.panel ? shape.panel : width;
    forTiles(frame, tile.rows, 1, eval.sub(high, low), [&](Value done, Value height) {
      Value row = eval.add(top, eval.add(low, done));
      selectHeight(frame, height, heightsOf(tile.rows, 1), [&](unsigned rows) {
        PairTile code{rows, vectors, unsigned(pitch / tile.lanes), shape.depth % 2 != 0};
        Value depth = eval.i64(shape.depth);
        code.call(frame, {frame.at(lhs, half, eval.mul(row, depth)), depth, from, eval.i64(shape.depth / 2),
                          eval.i64(shape.pairs() * pitch), sums});
      });
      TileColumns written{first, vectors, count - int64_t(vectors - 1) * tile.lanes};
      frame.loop(eval.i64(0), height, 1, [&](Value i) {
        eval.lanes = tile.lanes;
        eval.nextPoint();
        llvm::copy(frame.indicesOf(eval.add(row, i), shape.rowDims), place.begin());
        Value ofRow = frame.at(sums, single, eval.mul(i, eval.i64(int64_t(vectors) * tile.lanes)));
        finishColumns(frame, tile, written, shape.op->getResult(0), ofRow, place);
      });
    });
  }

  /// Returns the address of a column's first pair in the panels.
  Value inPanels(Value column) {
    Value panel = frame.at(rhs, pair, eval.mul(frame.divide(column, shape.panel), eval.i64(shape.pairs() * shape.panel)));
    return frame.at(panel, pair, frame.remainder(column, shape.panel));
  }

  /// Packs `count` columns of rhs from `first` on as pairs; missing columns of the last vector, and the second elements of an
  /// odd last pair, are zeros.
  void packColumns(Value first, int64_t count) {
    Value from = frame.at(rhs, half, first);
    frame.loop(eval.i64(0), eval.i64(shape.depth / 2), 1,
               [&](Value number) { packPair(from, number, count, /*isOdd=*/false); });
    if (shape.depth % 2)
      packPair(from, eval.i64(shape.depth / 2), count, /*isOdd=*/true);
  }

  void packPair(Value from, Value number, int64_t count, bool isOdd) {
    OpBuilder &b = frame.b;
    Value low = frame.at(from, half, eval.mul(number, eval.i64(2 * shape.columns)));
    Value high = frame.at(low, half, shape.columns), to = frame.at(columns, pair, eval.mul(number, eval.i64(width)));
    TileColumns read{eval.i64(0), unsigned(llvm::divideCeil(count, tile.lanes)), 0};
    read.lastLanes = count - int64_t(read.vectors - 1) * tile.lanes;
    for (unsigned v = 0; v < read.vectors; ++v) {
      VectorScope scope(frame, tile, read, v);
      Value one = frame.loadLanes(frame.at(low, half, int64_t(v) * tile.lanes), half), two;
      two = isOdd ? eval.splat(eval.constant(half, 0)) : frame.loadLanes(frame.at(high, half, int64_t(v) * tile.lanes), half);
      SmallVector<int32_t> places;
      for (int32_t i = 0; i < int32_t(tile.lanes); ++i)
        places.append({i, int32_t(tile.lanes) + i});
      Value mixed = LLVM::ShuffleVectorOp::create(b, frame.loc, one, two, places);
      LLVM::StoreOp::create(b, frame.loc, mixed, frame.at(to, pair, int64_t(v) * tile.lanes), 2);
    }
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  const PairProductShape &shape;
  TileShape tile;
  int64_t blockRows, width; // `width`: of a group of columns
  Type half, pair, single;
  Value rows, lhs, rhs;
  Value sums, columns; // on the stack; `columns` unless rhs is in panels
  Value top;           // first row of the block
  SmallVector<Index> place;
};

class PairProductForm : public FormOf<PairProductSchedule> {
public:
  PairProductForm() : FormOf("bf16_product") {}

  bool isHero(Operation *op) const override { return isa<DotGeneralOp>(op); }
  bool readsPanels() const override { return true; }
  bool canCompute(Operation *hero, const VectorTarget &target) const override {
    return multipliesPairs(target) && PairProductShape::of(hero);
  }

protected:
  FailureOr<PairProductSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    return choosePairProduct(*PairProductShape::of(heroOf(kernel)), target);
  }

  LogicalResult check(KernelOp kernel, const PairProductSchedule &schedule, const VectorTarget &target) const override {
    return checkPairProduct(kernel, *PairProductShape::of(heroOf(kernel)), schedule, target);
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const PairProductSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    PairProductShape shape = *PairProductShape::of(heroOf(kernel));
    collectFactors(shape.rows, loops->symbols);
    KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
    PairProductEmitter emitter(frame, shape, schedule);
    emitter.emit();
    frame.close();
    KernelCode code;
    code.function = at.function;
    code.symbols = frame.loops.symbols;
    code.extent = emitter.extent();
    code.unit = emitter.unit();
    code.work = shape.rows * Dim(shape.depth * shape.columns);
    code.threadWork = tuning::kThreadProducts;
    return code;
  }
};
} // namespace

const Form &lathe::cpu::pairProductForm() {
  static const PairProductForm form;
  return form;
}

std::optional<PanelChoice> lathe::cpu::choosePairPanels(KernelOp kernel) {
  DotGeneralOp op = pairProductOf(kernel);
  auto rhs = op ? dyn_cast_or_null<BlockArgument>(narrowOperand(op.getRhs())) : BlockArgument();
  bool isOnlyRead = rhs && rhs.hasOneUse() && op.getRhs().hasOneUse();
  return isOnlyRead ? std::optional(PanelChoice{rhs.getArgNumber(), kPairPanelColumns}) : std::nullopt;
}
