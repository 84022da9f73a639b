#include "codegen/CPU/PairProducts/PairGroups.h"
#include "codegen/CPU/Tiles/Parts.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Analysis/PairProducts.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

PairGroups::PairGroups(KernelFrame &frame, const PairProductShape &shape, const TileShape &tile, int64_t blockRows)
    : frame(frame), eval(frame.eval), shape(shape), tile(tile), blockRows(blockRows), width(int64_t(tile.vectors) * tile.lanes),
      half(frame.b.getI16Type()), pair(frame.b.getI32Type()), rows(eval.extent(shape.rows)),
      rhs(frame.buffers.lookup(shape.rhs)), place(dimsOf(shape.op->getResult(0)).size()) {
  if (!shape.panel)
    packed = frame.stack(pair, shape.pairs() * width);
}

int64_t PairGroups::unit() const {
  constexpr int64_t kSharing = 128;
  return shape.panel ? int64_t(tile.rows) : std::min(blockRows, kSharing);
}

void PairGroups::emit(Body body) {
  Value unit = eval.i64(items().unit), all = eval.i64(groups()), most = eval.i64(blockRows);
  Value first = eval.mul(frame.begin, unit), last = eval.min(eval.mul(frame.end, unit), eval.extent(items().extent));
  forParts(frame, first, last, eval.mul(most, all), [&](Value block, Value low, Value high) {
    Value top = eval.mul(block, most);
    Value height = frame.max(eval.min(eval.sub(rows, top), most), eval.i64(1)); // avoids a division by zero
    forParts(frame, low, high, height,
             [&](Value group, Value low, Value high) { emitGroup(group, eval.add(top, low), eval.sub(high, low), body); });
  });
}

/// Emits rows of the current block for a group of columns.
void PairGroups::emitGroup(Value group, Value firstRow, Value count, Body body) {
  Value first = eval.mul(group, eval.i64(width));
  int64_t whole = shape.columns / width, rest = shape.columns % width;
  auto emitWhole = [&] { emitColumns(first, width, firstRow, count, body); };
  auto emitRest = [&] {
    int64_t most = shape.panel ? std::min(shape.panel, width) : width; // a tile of several panels has only full ones
    for (int64_t done = 0; done < rest; done += most)
      emitColumns(eval.add(first, eval.i64(done)), std::min(most, rest - done), firstRow, count, body);
  };
  if (whole == 0 || rest == 0)
    return whole ? emitWhole() : emitRest();
  Value isWhole = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, group, eval.i64(whole));
  frame.choose(isWhole, emitWhole, emitRest);
}

/// Emits rows for `count` columns from `first` on, at most as many as a tile.
void PairGroups::emitColumns(Value first, int64_t count, Value firstRow, Value rows, Body body) {
  unsigned vectors = llvm::divideCeil(count, tile.lanes);
  PairColumns columns{packed, shape.panel ? shape.panel : width, {first, vectors, count - int64_t(vectors - 1) * tile.lanes}};
  if (shape.panel)
    columns.pairs = inPanels(first);
  else
    packColumns(first, count);
  body(columns, firstRow, rows);
}

void PairGroups::finishRow(Value row, const PairColumns &columns, Value sums) {
  eval.lanes = tile.lanes;
  eval.nextPoint();
  llvm::copy(frame.indicesOf(row, shape.rowDims), place.begin());
  finishColumns(frame, tile, columns.written, shape.op->getResult(0), sums, place);
}

/// Returns the address of a column's first pair in the panels.
Value PairGroups::inPanels(Value column) {
  Value panel = frame.at(rhs, pair, eval.mul(frame.divide(column, shape.panel), eval.i64(shape.pairs() * shape.panel)));
  return frame.at(panel, pair, frame.remainder(column, shape.panel));
}

/// Packs `count` columns of rhs from `first` on as pairs. Missing columns of the last vector, and the second elements of an odd
/// last pair, are zeros.
void PairGroups::packColumns(Value first, int64_t count) {
  Value from = frame.at(rhs, half, first);
  frame.loop(eval.i64(0), eval.i64(shape.depth / 2), 1, [&](Value number) { packPair(from, number, count, /*isOdd=*/false); });
  if (shape.depth % 2)
    packPair(from, eval.i64(shape.depth / 2), count, /*isOdd=*/true);
}

void PairGroups::packPair(Value from, Value number, int64_t count, bool isOdd) {
  OpBuilder &b = frame.b;
  Value low = frame.at(from, half, eval.mul(number, eval.i64(2 * shape.columns)));
  Value high = frame.at(low, half, shape.columns), to = frame.at(packed, pair, eval.mul(number, eval.i64(width)));
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

FailureOr<KernelCode> lathe::cpu::emitPairProduct(KernelOp kernel, const FunctionPlace &at,
                                                  function_ref<PairItems(KernelFrame &, const PairProductShape &)> body) {
  FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return failure();
  PairProductShape shape = *PairProductShape::of(pairProductOf(kernel));
  collectFactors(shape.rows, loops->symbols);
  KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
  PairItems items = body(frame, shape);
  frame.close();
  KernelCode code;
  code.function = at.function;
  code.symbols = frame.loops.symbols;
  code.extent = items.extent;
  code.unit = items.unit;
  code.work = shape.rows * Dim(shape.depth * shape.columns);
  code.threadWork = tuning::kThreadProducts;
  return code;
}
