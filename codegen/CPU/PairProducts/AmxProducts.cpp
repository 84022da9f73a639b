// The code of a product of bf16 on AMX, for the rows of a call:
//
//   configure the tile registers
//   for block of `block_rows` rows, for group of columns        // PairGroups.h
//     columns = pairs of rhs[:, group]
//     for tile of up to 16 * row_tiles rows: sums = lhs[tile] * columns
//       for row of the tile: results[row, group] = epilogue(sums[row])
//   release the tile registers
//
// The last rows are computed together with those in front of them, if the product has 16 rows. Products behind the last 16
// pairs are copied and filled up with zeros, so that nothing is read beyond lhs, and no other number meets a zero.
#include "codegen/CPU/PairProducts/AmxProducts.h"
#include "codegen/CPU/PairProducts/PairGroups.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
class AmxProductEmitter {
public:
  AmxProductEmitter(KernelFrame &frame, const PairProductShape &shape, const AmxSchedule &schedule)
      : groups(frame, shape, schedule.tile(), schedule.blockRows), frame(frame), eval(frame.eval), shape(shape),
        tile(schedule.tile()), half(frame.b.getI16Type()), pair(frame.b.getI32Type()), single(frame.b.getF32Type()),
        byte(frame.b.getI8Type()), lhs(frame.buffers.lookup(shape.lhs.memory)), rows(eval.extent(shape.rows)) {
    sums = frame.stack(single, int64_t(tile.rows) * tile.vectors * tile.lanes);
    height = eval.min(frame.max(rows, eval.i64(1)), eval.i64(AmxTile::kRows));
    if (restPairs()) {
      restLhs = allocateZeros(int64_t(tile.rows) * AmxTile::kRowBytes);
      restRhs = allocateZeros(int64_t(AmxTile::kPairs) * tile.vectors * AmxTile::kRowBytes);
    }
  }

  PairGroups groups;

  void emit() {
    configureTiles(frame, height);
    groups.emit([&](const PairColumns &columns, Value firstRow, Value count) {
      if (restPairs())
        copyRestOf(columns);
      frame.loop(eval.i64(0), count, tile.rows, [&](Value done) {
        Value row = eval.add(firstRow, done), left = eval.sub(count, done);
        if (tile.rows == AmxTile::kRows)
          return emitTile(columns, row, left, 1);
        Value isTall = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sgt, left, eval.i64(AmxTile::kRows));
        frame.choose(isTall, [&] { emitTile(columns, row, left, 2); }, [&] { emitTile(columns, row, left, 1); });
      });
    });
    releaseTiles(frame);
  }

private:
  int64_t blocks() const { return shape.depth / (2 * AmxTile::kPairs); }
  /// Returns the pairs behind the blocks of 16.
  int64_t restPairs() const { return shape.pairs() - blocks() * AmxTile::kPairs; }

  Value allocateZeros(int64_t bytes) {
    Value memory = frame.stack(byte, bytes);
    LLVM::MemsetOp::create(frame.b, frame.loc, memory, eval.constant(byte, 0), eval.i64(bytes), /*isVolatile=*/false);
    return memory;
  }

  void copyBytes(Value to, Value from, int64_t bytes) {
    LLVM::MemcpyOp::create(frame.b, frame.loc, to, from, eval.i64(bytes), /*isVolatile=*/false);
  }

  /// Copies the last pairs of the columns to `restRhs`, one row of pairs after the other.
  void copyRestOf(const PairColumns &columns) {
    unsigned panelTiles = columns.pitch / tile.lanes;
    Value from = frame.at(columns.pairs, pair, blocks() * AmxTile::kPairs * columns.pitch);
    frame.loop(eval.i64(0), eval.i64(restPairs()), 1, [&](Value number) {
      Value row = frame.at(from, pair, eval.mul(number, eval.i64(columns.pitch)));
      Value to = frame.at(restRhs, byte, eval.mul(number, eval.i64(int64_t(tile.vectors) * AmxTile::kRowBytes)));
      for (unsigned done = 0, count; done < columns.written.vectors; done += count) {
        count = std::min(panelTiles, columns.written.vectors - done);
        copyBytes(frame.at(to, byte, int64_t(done) * AmxTile::kRowBytes),
                  frame.at(row, pair, done / panelTiles * groups.panelSize(columns)), int64_t(count) * AmxTile::kRowBytes);
      }
    });
  }

  /// Returns the first row that a tile register holds for rows from `row` on: no tile ends behind the last row of lhs.
  Value firstRowOf(Value row) { return eval.min(row, eval.sub(rows, height)); }

  /// Emits up to 16 * rowTiles rows from `row` on, of which `left` are wanted.
  void emitTile(const PairColumns &columns, Value row, Value left, unsigned rowTiles) {
    Value depth = eval.i64(shape.depth), rowBytes = eval.i64(shape.depth * sizeof(int16_t));
    SmallVector<Value> starts, from;
    for (unsigned i = 0; i < rowTiles; ++i) {
      starts.push_back(firstRowOf(eval.add(row, eval.i64(i * AmxTile::kRows))));
      from.push_back(frame.at(lhs, half, eval.mul(starts[i], depth)));
      if (restPairs())
        copyRestOfRows(from[i], i);
    }
    Value none = LLVM::ZeroOp::create(frame.b, frame.loc, lhs.getType());
    AmxTile code{rowTiles, columns.written.vectors, unsigned(columns.pitch / tile.lanes), tile.vectors, restPairs() != 0};
    code.call(frame, {from.front(), from.back(), rowBytes, columns.pairs, eval.i64(groups.panelSize(columns)),
                      eval.i64(blocks()), restPairs() ? restLhs : none, restPairs() ? restRhs : none, sums});
    for (unsigned i = 0; i < rowTiles; ++i)
      finishRows(columns, eval.add(row, eval.i64(i * AmxTile::kRows)), eval.sub(left, eval.i64(i * AmxTile::kRows)), starts[i],
                 i);
  }

  /// Copies the last pairs of the rows from `from` on to the part of `restLhs` for a tile register.
  void copyRestOfRows(Value from, unsigned number) {
    int64_t done = 2 * blocks() * AmxTile::kPairs;
    frame.loop(eval.i64(0), height, 1, [&](Value i) {
      Value to =
          frame.at(restLhs, byte, eval.mul(eval.add(i, eval.i64(number * AmxTile::kRows)), eval.i64(AmxTile::kRowBytes)));
      Value row = frame.at(from, half, eval.add(eval.mul(i, eval.i64(shape.depth)), eval.i64(done)));
      copyBytes(to, row, (shape.depth - done) * sizeof(int16_t));
    });
  }

  /// Computes the results of up to 16 rows from `row` on. Their sums are those of the tile register `number`, whose first row
  /// is `start`.
  void finishRows(const PairColumns &columns, Value row, Value left, Value start, unsigned number) {
    Value before = eval.add(eval.sub(row, start), eval.i64(number * AmxTile::kRows));
    frame.loop(eval.i64(0), eval.min(left, eval.i64(AmxTile::kRows)), 1, [&](Value i) {
      int64_t pitch = int64_t(columns.written.vectors) * tile.lanes;
      groups.finishRow(eval.add(row, i), columns, frame.at(sums, single, eval.mul(eval.add(before, i), eval.i64(pitch))));
    });
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  const PairProductShape &shape;
  TileShape tile;
  Type half, pair, single, byte;
  Value lhs, rows;
  Value height;           // rows of a tile register
  Value sums;             // of a tile, on the stack
  Value restLhs, restRhs; // the last pairs, on the stack
};

class AmxProductForm : public FormOf<AmxSchedule> {
public:
  AmxProductForm() : FormOf("amx_product") {}

  bool isHero(Operation *op) const override { return isa<DotGeneralOp>(op); }
  bool readsPanels() const override { return true; }
  bool canCompute(Operation *hero, const VectorTarget &target) const override {
    std::optional<PairProductShape> shape = multipliesTiles(target) ? PairProductShape::of(hero) : std::nullopt;
    return shape && shape->lhs.areAdjacent;
  }

protected:
  FailureOr<AmxSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    return chooseAmxProduct(*PairProductShape::of(heroOf(kernel)), target);
  }

  LogicalResult check(KernelOp kernel, const AmxSchedule &schedule, const VectorTarget &target) const override {
    return checkAmxProduct(kernel, *PairProductShape::of(heroOf(kernel)), schedule);
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const AmxSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<KernelCode> code = emitPairProduct(kernel, at, [&](KernelFrame &frame, const PairProductShape &shape) {
      AmxProductEmitter emitter(frame, shape, schedule);
      emitter.emit();
      return emitter.groups.items();
    });
    if (succeeded(code))
      code->usesTiles = true;
    return code;
  }
};
} // namespace

const Form &lathe::cpu::amxProductForm() {
  static const AmxProductForm form;
  return form;
}
