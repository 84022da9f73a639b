#include "codegen/CPU/Tiles/Tile.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Cheapest.h"
#include "lib/Analysis/Planes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

// A tile needs rows * vectors registers for sums, vectors + 1 for factors, and without fused multiply-adds one for the product.
// It has at least VectorTarget::fmaChains sums. More rows than a power of two or 6 have no tiles for what is left of them.
SmallVector<TileShape> lathe::cpu::tallTiles(const VectorTarget &target, unsigned lanes) {
  if (target.vectorRegisters >= 32)
    return {{8, 3, lanes}, {8, 2, lanes}, {target.sumRegisters(), 1, lanes}};
  if (!target.hasFMA)
    return {{4, 2, lanes}, {target.sumRegisters(), 1, lanes}};
  return {{4, 3, lanes}, {6, 2, lanes}, {target.sumRegisters(), 1, lanes}};
}

int64_t lathe::cpu::timeOf(const TileShape &tile) {
  return tile.vectors >= 3 ? tuning::kWideTileTime : tile.vectors == 2 ? tuning::kPairTileTime : tuning::kSingleTileTime;
}

// Only tiles that cover all columns are candidates, or all but one vector: what is left has tiles that wait for their sums.
TileShape lathe::cpu::chooseTile(const VectorTarget &target, unsigned elementBytes, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t vectors = llvm::divideCeil(columns, lanes);
  SmallVector<TileShape> candidates = tallTiles(target, lanes);
  llvm::erase_if(candidates, [&](const TileShape &tile) {
    bool leavesOne = tile.vectors == 2 && vectors > 2;
    return vectors % tile.vectors != 0 && !leavesOne;
  });
  return cheapest(candidates, timeOf);
}

// The sums take half of the registers, and so many vectors that no narrower tile has twice as few. Vectors that do not fill a
// tile are computed one by one.
TileShape lathe::cpu::chooseFlatTile(const VectorTarget &target, unsigned elementBytes, int64_t rows, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t full = columns / lanes, most = std::min<int64_t>(full, target.sumRegisters() / rows);
  SmallVector<TileShape> candidates;
  for (int64_t vectors = std::max<int64_t>(most, 1); vectors > most / 2; --vectors)
    candidates.push_back({unsigned(rows), unsigned(vectors), lanes});
  return cheapest(candidates, [&](const TileShape &tile) { return full % tile.vectors; });
}

TileShape lathe::cpu::choosePixelTile(const VectorTarget &target, unsigned elementBytes, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t vectors = llvm::divideCeil(columns, lanes);
  unsigned wide = std::min<int64_t>(vectors, tuning::kMostTileVectors);
  return {std::min(llvm::bit_floor(target.sumRegisters() / wide), tuning::kMostPixelRows), wide, lanes};
}

LogicalResult lathe::cpu::checkTile(KernelOp kernel, const TileShape &tile, unsigned elementBytes, const VectorTarget &target,
                                    const Dim &rows) {
  constexpr unsigned kMostSums = 64; // in registers or, if there are too few, spilled to the stack
  if (!llvm::isPowerOf2_32(tile.lanes) || tile.lanes > target.lanes(elementBytes))
    return kernel.emitError("a tile of ") << tile.lanes << " lanes does not fit vectors of '" << target.name()
                                          << "'; expected a power of two up to " << target.lanes(elementBytes);
  bool divides = rows.isStatic() && rows.constant() % tile.rows == 0;
  bool hasHeights = llvm::isPowerOf2_32(tile.rows) || tile.rows == 6 || divides;
  if (!hasHeights)
    return kernel.emitError("a tile of ") << tile.rows
                                          << " rows leaves rows that no smaller tile has; expected a power of two, 6, or "
                                          << "a divisor of the number of rows, " << rows.str();
  if (tile.rows * tile.vectors > kMostSums)
    return kernel.emitError("a tile of ") << tile.rows << " rows and " << tile.vectors << " vectors holds "
                                          << tile.rows * tile.vectors << " vectors of sums; expected at most " << kMostSums;
  return success();
}

void lathe::cpu::forTileColumns(CodeFrame &frame, const TileShape &tile, int64_t columns,
                                function_ref<void(const TileColumns &)> body) {
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

VectorScope::VectorScope(CodeFrame &frame, const TileShape &tile, const TileColumns &columns, unsigned vector) : frame(frame) {
  frame.eval.lanes = tile.lanes;
  frame.eval.tail = {};
  if (vector + 1 < columns.vectors || columns.lastLanes == tile.lanes)
    return;
  SmallVector<bool> mask(tile.lanes, false);
  std::fill_n(mask.begin(), columns.lastLanes, true);
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

void lathe::cpu::finishColumns(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, Value hero, Value sums,
                               MutableArrayRef<Index> place) {
  for (unsigned v = 0; v < columns.vectors; ++v) {
    VectorScope scope(frame, tile, columns, v);
    finishVector(frame, hero, sums, columns.first, v, place);
  }
}

/// Computes the results of one pixel channel by channel, each of which is in another plane.
static void finishPlanes(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, Value hero, Value sums,
                         Value image, ArrayRef<Value> outer, Value last) {
  PointEvaluator &eval = frame.eval;
  Type element = scalarOf(cast<RankedTensorType>(hero.getType()).getElementType());
  eval.lanes = 1;
  frame.loop(eval.i64(0), eval.i64((columns.vectors - 1) * int64_t(tile.lanes) + columns.lastLanes), 1, [&](Value channel) {
    eval.nextPoint();
    SmallVector<Index> place{eval.uniform(image), eval.uniform(eval.add(columns.first, channel))};
    for (Value coordinate : outer)
      place.push_back(eval.uniform(coordinate));
    place.push_back(eval.uniform(last));
    frame.finish(hero, frame.loadOne(frame.at(sums, element, channel), element), place);
  });
}

void lathe::cpu::finishPixel(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, Value hero, Value sums,
                             Value image, ArrayRef<Value> outer, Value last) {
  PointEvaluator &eval = frame.eval;
  if (auto conv = hero.getDefiningOp<ConvOp>(); conv && writesPlanes(conv))
    return finishPlanes(frame, tile, columns, hero, sums, image, outer, last);
  eval.lanes = tile.lanes;
  eval.nextPoint();
  SmallVector<Index> place{eval.uniform(image)};
  for (Value coordinate : outer)
    place.push_back(eval.uniform(coordinate));
  place.append({eval.uniform(last), Index()}); // finishVector sets the channel
  finishColumns(frame, tile, columns, hero, sums, place);
}

SmallVector<unsigned> lathe::cpu::heightsOf(unsigned most, unsigned least) {
  SmallVector<unsigned> heights;
  for (unsigned rows = most; rows >= least; rows = llvm::bit_ceil(rows) / 2)
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
