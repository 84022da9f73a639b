#include "codegen/CPU/Tiles/Tile.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

// The tile needs rows * vectors + vectors + 1 registers. It has at least VectorTarget::fmaChains sums, and rows + vectors
// loads, which must take less time than the products.
TileShape lathe::cpu::chooseTile(const VectorTarget &target, unsigned elementBytes, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t vectors = llvm::divideCeil(columns, lanes);
  bool isWide = target.vectorRegisters >= 32;
  if (vectors == 1)
    return {target.sumRegisters(), 1, lanes};
  if (isWide)
    return {8, vectors % 3 == 0 ? 3u : 2u, lanes};
  if (!target.hasFMA) // the product needs its own register
    return {4, 2, lanes};
  return vectors % 3 == 0 ? TileShape{4, 3, lanes} : TileShape{6, 2, lanes};
}

TileShape lathe::cpu::chooseFlatTile(const VectorTarget &target, unsigned elementBytes, int64_t rows, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t full = columns / lanes, most = std::max<int64_t>(1, target.sumRegisters() / rows);
  // Vectors that do not fill a panel are computed one by one: minimise their number.
  int64_t best = 1;
  for (int64_t vectors = 1; vectors <= std::min(most, full); ++vectors)
    if (2 * vectors > std::min(most, full) && (best == 1 || full % vectors <= full % best))
      best = vectors;
  return {unsigned(rows), unsigned(best), lanes};
}

TileShape lathe::cpu::choosePixelTile(const VectorTarget &target, unsigned elementBytes, int64_t columns) {
  constexpr unsigned kMostPixels = 8;
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t vectors = llvm::divideCeil(columns, lanes);
  unsigned wide = vectors == 3 ? 3 : std::min<int64_t>(vectors, 4);
  return {std::min(llvm::bit_floor(target.sumRegisters() / wide), kMostPixels), wide, lanes};
}

LogicalResult lathe::cpu::checkTile(KernelOp kernel, const TileShape &tile, unsigned elementBytes, const VectorTarget &target,
                                    const Dim &rows) {
  constexpr unsigned kMostSums = 64; // in registers or, if there are too few, spilled to the stack
  if (!llvm::isPowerOf2_32(tile.lanes) || tile.lanes > target.lanes(elementBytes))
    return kernel.emitError("a tile of ") << tile.lanes << " lanes does not fit vectors of '" << target.name()
                                          << "'; expected a power of two up to " << target.lanes(elementBytes);
  bool hasHeights = llvm::isPowerOf2_32(tile.rows) || tile.rows == 6 || rows.isStatic(tile.rows);
  if (!hasHeights)
    return kernel.emitError("a tile of ") << tile.rows
                                          << " rows leaves rows that no smaller tile has; expected a power of two, 6, or "
                                          << "the number of rows, " << rows.str();
  if (tile.rows * tile.vectors > kMostSums)
    return kernel.emitError("a tile of ") << tile.rows << " rows and " << tile.vectors << " vectors holds "
                                          << tile.rows * tile.vectors << " vectors of sums; expected at most " << kMostSums;
  return success();
}

void lathe::cpu::forPanels(CodeFrame &frame, const TileShape &tile, int64_t columns, function_ref<void(const Panel &)> body) {
  int64_t width = tile.vectors * tile.lanes, full = columns / width, rest = columns % width;
  PointEvaluator &eval = frame.eval;
  if (full == 1)
    body({eval.i64(0), tile.vectors, tile.lanes});
  else if (full > 1)
    frame.loop(eval.i64(0), eval.i64(full * width), width, [&](Value first) { body({first, tile.vectors, tile.lanes}); });
  if (rest) {
    unsigned vectors = llvm::divideCeil(rest, tile.lanes);
    body({eval.i64(full * width), vectors, rest - (vectors - 1) * int64_t(tile.lanes)});
  }
}

VectorScope::VectorScope(CodeFrame &frame, const TileShape &tile, const Panel &panel, unsigned vector) : frame(frame) {
  frame.eval.lanes = tile.lanes;
  frame.eval.tail = {};
  if (vector + 1 < panel.vectors || panel.lastLanes == tile.lanes)
    return;
  SmallVector<bool> mask(tile.lanes, false);
  std::fill_n(mask.begin(), panel.lastLanes, true);
  auto type = VectorType::get(tile.lanes, frame.b.getI1Type());
  frame.eval.tail = arith::ConstantOp::create(frame.b, frame.loc, DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

void lathe::cpu::finishVector(KernelFrame &frame, Value hero, Value sums, Value first, unsigned vector,
                              MutableArrayRef<Index> place) {
  PointEvaluator &eval = frame.eval;
  Type element = scalarOf(cast<RankedTensorType>(hero.getType()).getElementType());
  int64_t offset = int64_t(vector) * eval.lanes;
  Value sum = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), frame.at(sums, element, offset),
                                   element.getIntOrFloatBitWidth() / 8);
  place.back() = {eval.add(first, eval.i64(offset)), eval.lanes > 1, {}};
  frame.finish(hero, sum, place);
}

void lathe::cpu::finishPanel(KernelFrame &frame, const TileShape &tile, const Panel &panel, Value hero, Value sums,
                             MutableArrayRef<Index> place) {
  for (unsigned v = 0; v < panel.vectors; ++v) {
    VectorScope scope(frame, tile, panel, v);
    finishVector(frame, hero, sums, panel.first, v, place);
  }
}

void lathe::cpu::finishPixel(KernelFrame &frame, const TileShape &tile, const Panel &panel, Value hero, Value sums,
                             ArrayRef<Value> at) {
  PointEvaluator &eval = frame.eval;
  eval.lanes = tile.lanes;
  eval.nextPoint();
  SmallVector<Index> place;
  for (Value coordinate : at)
    place.push_back(eval.uniform(coordinate));
  place.push_back({}); // the channel
  finishPanel(frame, tile, panel, hero, sums, place);
}

SmallVector<unsigned> lathe::cpu::heightsOf(unsigned most, unsigned least) {
  SmallVector<unsigned> heights;
  for (unsigned rows = most; rows >= least; rows = rows == 6 ? 4 : rows / 2)
    heights.push_back(rows);
  return heights;
}

void lathe::cpu::forTiles(CodeFrame &frame, unsigned most, unsigned least, Value count, function_ref<void(Value, Value)> body) {
  OpBuilder &b = frame.b;
  Location loc = frame.loc;
  PointEvaluator &eval = frame.eval;
  // The heights below `most` are powers of two: each bit of the remainder is a tile.
  Value bits = b.createOrFold<arith::AndIOp>(loc, frame.remainder(count, most), eval.i64(~int64_t(least - 1)));
  Value tiles = eval.add(frame.divide(count, most), b.createOrFold<math::CtPopOp>(loc, bits));
  frame.loop(eval.i64(0), tiles, ValueRange{eval.i64(0)}, [&](Value, ValueRange carried) {
    Value first = carried[0], left = eval.sub(count, first);
    Value rows = eval.i64(least);
    for (unsigned height : llvm::reverse(ArrayRef(heightsOf(most, least)).drop_back())) {
      Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, left, eval.i64(height));
      rows = arith::SelectOp::create(b, loc, fits, eval.i64(height), rows);
    }
    body(first, rows);
    return CodeFrame::Carry{eval.add(first, rows)};
  });
}

void lathe::cpu::selectHeight(CodeFrame &frame, Value height, ArrayRef<unsigned> heights, function_ref<void(unsigned)> body) {
  if (heights.size() == 1)
    return body(heights.front());
  Value isFirst = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, height, frame.eval.i64(heights.front()));
  auto choice = scf::IfOp::create(frame.b, frame.loc, isFirst, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(frame.b);
  frame.b.setInsertionPointToStart(choice.thenBlock());
  body(heights.front());
  frame.b.setInsertionPointToStart(choice.elseBlock());
  selectHeight(frame, height, heights.drop_front(), body);
}
