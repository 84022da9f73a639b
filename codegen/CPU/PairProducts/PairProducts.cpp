// The code of a product of bf16 in pairs, for the rows of a call:
//
//   for block of `block_rows` rows, for group of columns        // PairGroups.h
//     columns = pairs of rhs[:, group]
//     for tile of `rows` rows: sums = lhs[tile] * columns
//       for row of the tile: results[row, group] = epilogue(sums[row])
//
// Two adjacent elements of a row of lhs are a pair in memory, so that lhs is read in place, and so are patches of images.
#include "codegen/CPU/PairProducts/PairProducts.h"
#include "codegen/CPU/PairProducts/PairGroups.h"
#include "codegen/CPU/PairProducts/PairTile.h"
#include "codegen/CPU/Tiles/FetchAhead.h"
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
      : groups(frame, shape, schedule.tile, schedule.blockRows), frame(frame), eval(frame.eval), shape(shape),
        tile(schedule.tile), lhs(frame.buffers.lookup(shape.lhs.memory)),
        sums(frame.stack(frame.b.getF32Type(), int64_t(tile.rows) * tile.vectors * tile.lanes)) {
    if (!shape.lhs.areAdjacent)
      rowPlaces = frame.stack(frame.b.getI64Type(), tile.rows);
  }

  PairGroups groups;

  void emit() {
    groups.emit([&](const PairColumns &columns, Value firstRow, Value count) {
      FetchAhead ahead = aheadOf(columns, count);
      forTiles(frame, tile.rows, 1, count, [&](Value done, Value height) {
        emitTile(columns, eval.add(firstRow, done), height, ahead.at(frame, done, eval.i64(0)), ahead.pitch());
      });
    });
  }

private:
  /// Returns what the tiles of `count` rows fetch while they meet some columns.
  FetchAhead aheadOf(const PairColumns &columns, Value count) {
    bool hasTiles = FetchAhead::hasTiles(shape.rows, tile.rows);
    if (!shape.panel || !hasTiles || shape.columns <= columns.pitch || columns.written.vectors != tile.vectors)
      return {};
    int64_t bytes = shape.pairs() * tile.vectors * tile.lanes * sizeof(int32_t);
    return {frame, frame.at(columns.pairs, frame.b.getI8Type(), bytes), bytes, count, tile.rows, shape.pairs()};
  }

  /// Emits `height` rows, at most as many as a tile, from `row` on.
  void emitTile(const PairColumns &columns, Value row, Value height, Value ahead, Value aheadPitch) {
    Type half = frame.b.getI16Type(), single = frame.b.getF32Type();
    selectHeight(frame, height, heightsOf(tile.rows, 1), [&](unsigned rows) {
      PairTile code{
          rows,       columns.written.vectors, unsigned(columns.pitch / tile.lanes), shape.depth % 2 != 0, bool(rowPlaces),
          bool(ahead)};
      Value depth = eval.i64(shape.depth), panel = eval.i64(groups.panelSize(columns));
      if (!rowPlaces)
        return code.call(frame, {frame.at(lhs, half, eval.mul(row, depth)),
                                 depth,
                                 columns.pairs,
                                 eval.i64(shape.depth / 2),
                                 panel,
                                 sums,
                                 {},
                                 {},
                                 ahead,
                                 aheadPitch});
      for (unsigned i = 0; i < rows; ++i)
        frame.storeOne(placeOf(eval.add(row, eval.i64(i))), frame.at(rowPlaces, frame.b.getI64Type(), i));
      code.call(frame, {lhs, rowPlaces, columns.pairs, eval.i64(shape.lhs.chunk / 2), panel, sums, eval.i64(shape.lhs.chunks),
                        eval.i64(shape.lhs.chunkPitch), ahead, aheadPitch});
    });
    frame.loop(eval.i64(0), height, 1, [&](Value i) {
      int64_t pitch = int64_t(columns.written.vectors) * tile.lanes;
      groups.finishRow(eval.add(row, i), columns, frame.at(sums, single, eval.mul(i, eval.i64(pitch))));
    });
  }

  /// Returns the distance of a row from the first one, in elements.
  Value placeOf(Value row) {
    Value place = eval.i64(0);
    for (auto [index, pitch] : llvm::zip_equal(frame.indicesOf(row, shape.rowDims), shape.lhs.pitches))
      place = eval.add(place, eval.mul(index.base, eval.i64(pitch)));
    return place;
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  const PairProductShape &shape;
  TileShape tile;
  Value lhs, sums; // `sums`: of a tile, on the stack
  Value rowPlaces; // of the rows of a tile, on the stack; null if rows are adjacent
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
    return emitPairProduct(kernel, at, [&](KernelFrame &frame, const PairProductShape &shape) {
      PairProductEmitter emitter(frame, shape, schedule);
      emitter.emit();
      return emitter.groups.items();
    });
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
