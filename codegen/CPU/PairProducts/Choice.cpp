#include "codegen/CPU/PairProducts/Choice.h"
#include "codegen/CPU/PairProducts/PairTile.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Cheapest.h"
#include "lib/Analysis/PairProducts.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Bytes of a pair, and of a sum.
static constexpr int64_t kWordBytes = 4;

std::optional<PairProductShape> PairProductShape::of(Operation *op) {
  if (!isPairProduct(op))
    return std::nullopt;
  PairProductShape shape;
  shape.op = cast<DotGeneralOp>(op);
  Value narrow = narrowOperand(op->getOperand(0));
  auto rhs = dyn_cast_or_null<BlockArgument>(narrowOperand(op->getOperand(1)));
  if (!narrow || !rhs)
    return std::nullopt;
  Dims left = dimsOf(narrow), right = dimsOf(rhs);
  std::optional<LhsRows> lhs = LhsRows::of(narrow, right[0].constant());
  if (!lhs)
    return std::nullopt;
  shape.lhs = *lhs, shape.rhs = rhs;
  shape.rowDims.assign(left.begin(), left.end() - 1);
  for (const Dim &dim : shape.rowDims)
    shape.rows = shape.rows * dim;
  shape.depth = right[0].constant();
  shape.columns = right[1].constant();
  shape.panel = panelWidthOf(cast<KernelOp>(op->getParentOp()), rhs.getArgNumber());
  return shape;
}

int64_t PairProductShape::stackBytes(const TileShape &tile) const {
  int64_t width = int64_t(tile.vectors) * tile.lanes;
  return (tile.rows + (panel ? 0 : pairs())) * width * kWordBytes;
}

/// Returns the rows of a tile for many rows: 8, or 7 if these leave no rows to tiles that wait for the latency of their sums.
static unsigned rowsOfPairTile(const Dim &rows) {
  constexpr unsigned kRows = 8, kDivisor = kRows - 1;
  SmallVector<unsigned> candidates{kRows};
  if (rows.isStatic() && rows.constant() % kDivisor == 0)
    candidates.push_back(kDivisor);
  return cheapest(candidates, [&](unsigned most) {
    constexpr int64_t kRow = 10, kLeast = 60, kTile = 7; // relative times: a row of a tile, its latency, its other work
    if (!rows.isStatic())
      return int64_t(0);
    int64_t time = rows.constant() / most * (most * kRow + kTile);
    for (unsigned height : ArrayRef(heightsOf(most, 1)).drop_front())
      if (rows.constant() % most & height)
        time += std::max(height * kRow, kLeast) + kTile;
    return time;
  });
}

/// Returns the tile for many rows, or for few rows: as wide as the latency of its sums asks for.
static TileShape choosePairTile(const PairProductShape &shape, const VectorTarget &target) {
  constexpr unsigned kVectors = kPairPanelColumns / PairTile::kLanes, kMostVectors = 8;
  bool areFew = shape.rows.isStatic() && shape.rows.constant() <= tuning::kFewRows;
  TileShape tile{rowsOfPairTile(shape.rows), kVectors, PairTile::kLanes};
  if (shape.rows.isStatic())
    tile.rows = std::min<int64_t>(tile.rows, std::max<int64_t>(shape.rows.constant(), 1));
  if (areFew && shape.panel)
    while (tile.vectors < kMostVectors && tile.rows * tile.vectors * 2 <= target.sumRegisters() &&
           2 * int64_t(tile.vectors) * tile.lanes <= shape.columns)
      tile.vectors *= 2;
  bool divides = shape.rows.isStatic() && shape.rows.constant() % tile.rows == 0;
  if (tile.rows > tuning::kFewRows && tile.rows != 6 && !divides)
    tile.rows = llvm::bit_floor(tile.rows);
  while (tile.vectors > 1 && shape.stackBytes(tile) > tuning::kMostStackBytes)
    tile.vectors /= 2;
  return tile;
}

int64_t lathe::cpu::chooseRowBlock(const PairProductShape &shape, int64_t unit, const VectorTarget &target) {
  int64_t bytes = shape.pairs() * kWordBytes;
  int64_t most = bytes * shape.columns <= tuning::kMostRereadBytes ? 0 : target.secondBlockBytes() / bytes;
  int64_t rows = llvm::alignTo(std::max(most, tuning::kLeastRowBlock), unit);
  return shape.rows.isStatic() ? std::clamp<int64_t>(shape.rows.constant(), 1, rows) : rows;
}

PairProductSchedule lathe::cpu::choosePairProduct(const PairProductShape &shape, const VectorTarget &target) {
  PairProductSchedule schedule;
  schedule.tile = choosePairTile(shape, target);
  schedule.blockRows = chooseRowBlock(shape, schedule.tile.rows, target);
  return schedule;
}

LogicalResult lathe::cpu::checkPairColumns(KernelOp kernel, const PairProductShape &shape, const TileShape &tile,
                                           int64_t stackBytes, StringRef parameter) {
  int64_t width = int64_t(tile.vectors) * tile.lanes;
  if (shape.panel && !constantOf(kernel.getOperand(cast<BlockArgument>(shape.rhs).getArgNumber())))
    return kernel.emitError("the right operand is in panels, but it is not a constant");
  if (shape.panel && (shape.panel % tile.lanes || (shape.panel % width && width % shape.panel)))
    return kernel.emitError("a tile of ") << width << " columns is neither a part nor a multiple of the panels of "
                                          << shape.panel << " in which the right operand is stored";
  if (stackBytes > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with '") << parameter << "' " << tile.vectors << " takes " << stackBytes
                                                 << " bytes of a thread's stack; expected at most " << tuning::kMostStackBytes;
  return success();
}

LogicalResult lathe::cpu::checkPairProduct(KernelOp kernel, const PairProductShape &shape, const PairProductSchedule &schedule,
                                           const VectorTarget &target) {
  const TileShape &tile = schedule.tile;
  if (failed(checkTile(kernel, tile, kWordBytes, target, shape.rows)))
    return failure();
  if (tile.lanes != PairTile::kLanes)
    return kernel.emitError("a tile of ") << tile.lanes << " lanes has no instruction for pairs of bf16; expected "
                                          << PairTile::kLanes;
  return checkPairColumns(kernel, shape, tile, shape.stackBytes(tile), "vectors");
}
