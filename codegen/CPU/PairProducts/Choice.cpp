#include "codegen/CPU/PairProducts/Choice.h"
#include "codegen/CPU/PairProducts/PairTile.h"
#include "codegen/CPU/Tuning.h"
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

/// Returns the tile for many rows, or for few rows: as wide as the latency of its sums asks for.
static TileShape choosePairTile(const PairProductShape &shape, const VectorTarget &target) {
  constexpr unsigned kRows = 8, kVectors = kPairPanelColumns / PairTile::kLanes, kMostVectors = 8;
  bool areFew = shape.rows.isStatic() && shape.rows.constant() <= tuning::kFewRows;
  TileShape tile{kRows, kVectors, PairTile::kLanes};
  if (shape.rows.isStatic())
    tile.rows = std::min<int64_t>(kRows, std::max<int64_t>(shape.rows.constant(), 1));
  if (areFew && shape.panel)
    while (tile.vectors < kMostVectors && tile.rows * tile.vectors * 2 <= target.sumRegisters() &&
           2 * int64_t(tile.vectors) * tile.lanes <= shape.columns)
      tile.vectors *= 2;
  if (tile.rows > tuning::kFewRows && tile.rows != 6)
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
