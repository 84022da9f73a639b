#include "codegen/GPU/Contraction/WarpResults.h"
#include "codegen/GPU/Threads/Parts.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Body = function_ref<void(Value, Value, Value)>;

void WarpResults::put(const Part &part, ArrayRef<Value> pair, Value row, unsigned rowMore, Value column, unsigned columnMore) {
  PointEvaluator &eval = frame.eval;
  OpBuilder &b = frame.b;
  if (isTransposed) {
    Value mine = frame.at(part.buffer, product.sum, eval.add(eval.mul(column, eval.i64(pitch())), row));
    for (auto [i, sum] : llvm::enumerate(pair))
      frame.storeOne(sum, frame.at(mine, product.sum, int64_t(columnMore + i) * pitch() + rowMore));
    return;
  }
  Value both = LLVM::UndefOp::create(b, frame.loc, VectorType::get(2, product.sum));
  for (auto [i, sum] : llvm::enumerate(pair))
    both = LLVM::InsertElementOp::create(b, frame.loc, both, sum, frame.number(int32_t(i)));
  Value mine = frame.at(part.buffer, product.sum, eval.add(eval.mul(row, eval.i64(pitch())), column));
  Value to = frame.at(mine, product.sum, int64_t(rowMore) * pitch() + columnMore);
  LLVM::StoreOp::create(b, frame.loc, both, to, product.sum.getIntOrFloatBitWidth() / 4);
}

/// Tests an index against the product of these extents. Returns null if all tiles are whole.
Value WarpResults::inside(Value at, ArrayRef<unsigned> dims, unsigned length) {
  Dim all = extentOf(loops, dims);
  bool isWhole = all.isStatic() && all.constant() % length == 0;
  return isWhole ? Value() : frame.isBelow(at, frame.eval.extent(all));
}

Value WarpResults::isRow(const Part &part, Value row) {
  if (boxed.empty())
    return inside(row, product.rows, tileSize.rows);
  points.set(boxed, part.firsts, row);
  return points.isInside(boxed);
}

void WarpResults::set(const Part &part, Value row, Value column) {
  boxed.empty() ? points.set(product.rows, row) : points.set(boxed, part.firsts, row);
  points.set(product.columns, column);
}

/// Calls body(address of the sums, row, column) for the sums of this thread.
void WarpResults::visit(const Part &part, unsigned lanes, Body body) {
  PointEvaluator &eval = frame.eval;
  unsigned across = bufferSize.columns / lanes;
  Value lane = frame.remainder(frame.thread, kWarp);
  frame.loop(eval.i64(0), eval.i64(bufferSize.rows * across / kWarp), 1,
             [&](Value round) { // the same trip count in all lanes
               eval.nextPoint();
               Value element = eval.add(lane, eval.mul(round, eval.i64(kWarp)));
               Value row = frame.divide(element, across), column = eval.mul(frame.remainder(element, across), eval.i64(lanes));
               Value from = frame.at(part.buffer, product.sum, eval.add(eval.mul(row, eval.i64(pitch())), column));
               Value down = eval.add(part.firstRow, row), right = eval.add(part.firstColumn, column);
               Value isInside = eval.both(isRow(part, down), inside(right, product.columns, tileSize.columns));
               if (isInside)
                 frame.when(isInside, [&] { body(from, down, right); });
               else
                 body(from, down, right);
             });
}

void WarpResults::forEach(const Part &part, unsigned lanes, Body body) {
  unsigned bytes = product.sum.getIntOrFloatBitWidth() / 8;
  Type type = lanes > 1 ? Type(VectorType::get(lanes, product.sum)) : product.sum;
  visit(part, lanes, [&](Value from, Value row, Value column) {
    body(LLVM::LoadOp::create(frame.b, frame.loc, type, from, std::min(bytes * lanes, 16u)), row, column);
  });
}

void WarpResults::repair(const Part &part, ArrayRef<Value> sums) {
  Value isFinite;
  for (Value sum : sums)
    isFinite = frame.eval.both(isFinite, frame.isFinite(sum));
  Value isBad = arith::XOrIOp::create(frame.b, frame.loc, isFinite,
                                      arith::ConstantOp::create(frame.b, frame.loc, frame.b.getBoolAttr(true)));
  frame.when(frame.any(isBad), [&] {
    visit(part, 1, [&](Value from, Value row, Value column) {
      set(part, row, column);
      Value sum = frame.loadOne(from, product.sum);
      frame.storeOne(
          finiteOrRecomputed(frame, product.nest, sum, points.ofResults(), ArrayRef(loops.extents).drop_front(loops.parallel)),
          from);
    });
    frame.warpBarrier();
  });
}

void WarpResults::store(const Part &part, unsigned lanes) {
  PointEvaluator &eval = frame.eval;
  forEach(part, lanes, [&](Value sums, Value row, Value column) {
    set(part, row, column);
    points.place[loops.parallel - 1].step = lanes > 1;
    eval.lanes = lanes;
    eval.alignsVectors = lanes > 1;
    points.store(sums);
    eval.lanes = 1;
    eval.alignsVectors = false;
  });
}

void WarpResults::storePart(const Part &part, Value number, int64_t parts) {
  PointEvaluator &eval = frame.eval;
  int64_t count = productOf(ArrayRef(loops.extents).take_front(loops.parallel)).constant();
  forEach(part, 1, [&](Value sum, Value row, Value column) {
    set(part, row, column);
    Value point = eval.i64(0);
    SmallVector<Index> at = points.ofResults();
    for (unsigned dim = 0; dim < loops.parallel; ++dim)
      point = eval.add(eval.mul(point, eval.extent(loops.extents[dim])), at[dim].base);
    Parts(frame, {sum}, count, parts).store({sum}, number, point);
  });
}
