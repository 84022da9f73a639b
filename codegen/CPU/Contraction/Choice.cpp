#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/CPU/Contraction/LeftRows.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Cheapest.h"
#include "codegen/Schedules/Panels.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
int64_t bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

bool isAtLeast(const Dim &dim, int64_t least) { return !dim.isStatic() || dim.constant() >= least; }

/// Returns the relative time of a row of sums whose factors are in panels. The last columns have a tile of their own, which
/// waits for its multiply-adds if it has too few sums.
int64_t costInPanels(const TileShape &tile, int64_t columns, const VectorTarget &target) {
  int64_t vectors = llvm::divideCeil(columns, int64_t(tile.lanes)), rest = vectors % tile.vectors;
  int64_t work = vectors - rest + (rest ? std::max<int64_t>(rest, target.fmaChains() / tile.rows) : 0);
  return work * timeOf(tile);
}

/// Returns the best tile for factors in panels of this width, or in panels whose width the tile decides if it is 0. Without a
/// candidate, it has one lane.
TileShape choosePanelTile(const VectorTarget &target, unsigned bytes, int64_t columns, int64_t panel) {
  SmallVector<TileShape> candidates = tallTiles(target, target.lanes(bytes));
  llvm::erase_if(candidates, [&](const TileShape &tile) {
    int64_t width = tile.vectors * tile.lanes;
    return panel ? panel % width != 0 : columns < width;
  });
  if (candidates.empty())
    return {};
  return cheapest(candidates, [&](const TileShape &tile) { return costInPanels(tile, columns, target); });
}

/// Returns the relative time of `rows` rows of one column for a right operand that is not in panels. A tile of what is left of
/// the rows waits for its multiply-adds if it has too few sums.
int64_t costOfRows(const TileShape &tile, int64_t rows, const VectorTarget &target) {
  constexpr int64_t kParts = 60; // divides by all numbers of vectors
  int64_t cost = 0;
  for (unsigned height : heightsOf(tile.rows, 1)) {
    int64_t tiles = rows / height;
    rows %= height;
    cost += tiles * std::max<int64_t>(height * tile.vectors, target.fmaChains());
  }
  return cost * timeOf(tile) * kParts / tile.vectors;
}

/// Returns the best tile for a known number of rows, which are too few for the tiles of what is left of them to count little.
TileShape chooseTileOfRows(const VectorTarget &target, unsigned bytes, int64_t rows, int64_t columns) {
  TileShape tile = chooseTile(target, bytes, columns);
  SmallVector<TileShape> candidates = tallTiles(target, tile.lanes);
  llvm::erase_if(candidates, [&](const TileShape &each) { return columns < int64_t(each.vectors) * each.lanes; });
  candidates.insert(candidates.begin(), tile);
  return cheapest(candidates, [&](const TileShape &each) { return costOfRows(each, rows, target); });
}

/// True if all blocks of rows may read the right operand again.
bool isReread(const ContractionShape &shape, unsigned bytes) {
  return shape.depth.isStatic() && shape.columns.isStatic() &&
         shape.depth.constant() * shape.columns.constant() * bytes <= tuning::kMostRereadBytes;
}

/// Returns the number of tiles of rows that meet all panels before the next ones, so that rows are read from memory once and
/// then from the second-level cache; 1 if all rows do.
int64_t chooseRowBlock(const ContractionShape &shape, unsigned bytes, const TileShape &tile, const VectorTarget &target) {
  if (!shape.depth.isStatic() || shape.depth.constant() < 1)
    return 1;
  int64_t rows = std::max(target.secondBlockBytes() / (shape.depth.constant() * bytes), tuning::kLeastRowBlock);
  if (isReread(shape, bytes))
    rows = tuning::kLeastRowBlock;
  int64_t tiles = std::min<int64_t>(rows / tile.rows, ContractionSchedule::kMostBlockTiles);
  return shape.rows.isStatic() && shape.rows.constant() <= tiles * tile.rows ? 1 : tiles;
}

/// Gives a tile of few rows as many vectors, of several panels if need be, as hide the latency of multiply-adds, and as fit the
/// registers: sums and, unless one row reads them from memory, factors.
void widenFlatTile(TileShape &tile, int64_t rows, int64_t columns, int64_t panel, const VectorTarget &target) {
  int64_t narrow = tile.vectors * tile.lanes, most = llvm::divideCeil(target.fmaChains(), rows * tile.vectors);
  tile.rows = rows;
  for (int64_t times = most; times > 1; --times) {
    int64_t wide = times * narrow, vectors = times * tile.vectors;
    bool fits = (rows == 1 ? vectors : (rows + 1) * vectors) + 1 <= target.vectorRegisters;
    if (fits && wide <= columns && (panel % wide == 0 || wide % panel == 0)) {
      tile.vectors = vectors;
      return;
    }
  }
}
} // namespace

/// Refuses panels of operands that are not constants: only constants are stored in panels.
static LogicalResult checkPanels(KernelOp kernel) {
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    if (panelWidthOf(kernel, i) && !constantOf(kernel.getOperand(i)))
      return kernel.emitError("operand ") << i << " is in panels, but it is not a constant";
  return success();
}

int64_t lathe::cpu::choosePanelWidth(int64_t columns, Type element, ArrayRef<VectorTarget> targets) {
  unsigned bytes = bytesOf(element);
  int64_t width = 0;
  for (const VectorTarget &target : targets)
    if (TileShape tile = choosePanelTile(target, bytes, columns, /*panel=*/0); tile.lanes <= PanelLayout::kPanelPadding)
      width = std::max(width, int64_t(tile.vectors * tile.lanes));
  bool isForAll = llvm::all_of(targets, [&](const VectorTarget &target) {
    unsigned lanes = target.lanes(bytes);
    return lanes > 1 && lanes <= PanelLayout::kPanelPadding && width % lanes == 0;
  });
  return isForAll && columns > width ? width : 0;
}

/// Returns the products of a block of rhs for a tile's columns.
static int64_t packedDepth(const TileShape &tile, unsigned bytes) {
  return tuning::kPackedBytes / (int64_t(tile.vectors * tile.lanes) * bytes);
}

static bool isMultiple(const Dim &stride, int64_t bytes, int64_t of) {
  return stride.isStatic() && stride.constant() * bytes % of == 0;
}

/// True if the rows of lhs can be copied, and each is in the same set of the cache.
static bool crowdsSet(const ContractionShape &shape, const TileShape &tile, unsigned bytes) {
  return canPackLhs(shape) && isMultiple(shape.lhsDepthStride, bytes, tuning::kCrowdingBytes) &&
         shape.columns.constant() >= 2 * int64_t(tile.vectors) * tile.lanes;
}

/// True if both operands crowd the first-level cache: rhs, and an lhs whose rows are adjacent, whose lines then do not stay for
/// the next tile of rows either. With blocks of rhs, lhs has the cache to itself.
static bool crowdTogether(const ContractionShape &shape, const TileShape &tile, unsigned bytes, int64_t rhsBytes) {
  int64_t least = crowdsSet(shape, tile, bytes) ? tuning::kLeastCrowdedDepth : tuning::kLeastDepthTogether;
  return shape.rowStride.isStatic(1) && isMultiple(shape.lhsDepthStride, bytes, tuning::kFarApart) &&
         isAtLeast(shape.lhsDepthStride, tuning::kFarRows / bytes) &&
         isMultiple(shape.rhsDepthStride, rhsBytes, tuning::kFarApart) && isAtLeast(shape.depth, least);
}

/// True if rhs has many products, or a few that crowd the cache.
static bool isDeep(const ContractionShape &shape, const TileShape &tile, unsigned bytes, int64_t rhsBytes) {
  bool isCrowded = isMultiple(shape.rhsDepthStride, rhsBytes, tuning::kCrowdingBytes);
  return isAtLeast(shape.depth, isCrowded ? tuning::kLeastCrowdedDepth : 2 * packedDepth(tile, bytes));
}

/// True if blocks of rhs cost less than reading it in place: for many rows that share a block, and for products that are far
/// apart in memory and crowd the cache.
static bool blocksPay(const ContractionShape &shape, const TileShape &tile, unsigned bytes, int64_t rhsBytes) {
  return isAtLeast(shape.rows, leastRowsOfBlock(tile)) && isAtLeast(shape.rhsDepthStride, tuning::kFarApart / rhsBytes) &&
         (isDeep(shape, tile, bytes, rhsBytes) || crowdTogether(shape, tile, bytes, rhsBytes));
}

/// Returns the bytes of a thread's stack that a product takes.
static int64_t stackBytes(const ContractionSchedule &schedule, const ContractionShape &shape, unsigned bytes) {
  int64_t width = int64_t(schedule.tile.vectors) * schedule.tile.lanes;
  int64_t sharing = schedule.blockDepth ? schedule.blockTiles : 1;
  int64_t copy = schedule.packsLhs ? shape.depth.constant() * pitchOfPackedLhs(schedule) : 0;
  return ((3 * sharing * schedule.tile.rows + schedule.blockDepth) * width + copy) * bytes;
}

/// Lets the rows of a block be copied where the rows of a product are far from those of the next one: read in place, each is in
/// another page, and at a distance of kCrowdingBytes in the same set of the cache. The block has as many rows as the copies may
/// take.
static void packFarRows(ContractionSchedule &schedule, const ContractionShape &shape, unsigned bytes, int64_t rhsBytes) {
  if (!canPackLhs(shape) || shape.lhsDepthStride.constant() * bytes < tuning::kFarApart ||
      shape.columns.constant() < 2 * int64_t(schedule.tile.vectors) * schedule.tile.lanes ||
      (!isDeep(shape, schedule.tile, bytes, rhsBytes) && !crowdsSet(shape, schedule.tile, bytes))) // copies cost more
    return;
  ContractionSchedule packed = schedule;
  packed.packsLhs = true;
  while (packed.blockTiles > 1 && stackBytes(packed, shape, bytes) > tuning::kMostStackBytes)
    --packed.blockTiles;
  if (packed.blockTiles * int64_t(packed.tile.rows) >= tuning::kLeastPackedRows)
    schedule = packed;
}

ContractionSchedule lathe::cpu::chooseContraction(const ContractionShape &shape, Type element, Type rhsElement, int64_t panel,
                                                  const VectorTarget &target) {
  unsigned bytes = bytesOf(scalarOf(element));
  int64_t columns = shape.columns.isStatic() ? shape.columns.constant() : INT32_MAX;
  bool isFlat = shape.rows.isStatic() && shape.rows.constant() >= 1 && shape.rows.constant() <= tuning::kFewRows;
  ContractionSchedule schedule;
  if (panel) {
    schedule.tile = choosePanelTile(target, bytes, columns, panel);
    schedule.blockTiles = chooseRowBlock(shape, bytes, schedule.tile, target);
    if (isFlat)
      widenFlatTile(schedule.tile, shape.rows.constant(), columns, panel, target);
    return schedule;
  }
  bool hasFew = shape.rows.isStatic() && shape.rows.constant() >= 1 && shape.rows.constant() <= tuning::kCountedRows;
  if (isFlat)
    schedule.tile = chooseFlatTile(target, bytes, shape.rows.constant(), columns);
  else if (hasFew)
    schedule.tile = chooseTileOfRows(target, bytes, shape.rows.constant(), columns);
  else
    schedule.tile = chooseTile(target, bytes, columns);
  int64_t rhsBytes = bytesOf(scalarOf(rhsElement));
  if (isFlat || !blocksPay(shape, schedule.tile, bytes, rhsBytes)) {
    if (!isFlat && isReread(shape, bytes))
      schedule.blockTiles = chooseRowBlock(shape, bytes, schedule.tile, target);
    return schedule;
  }
  schedule.blockDepth = packedDepth(schedule.tile, bytes);
  if (!Chains::areOne(kProductOrder, element, shape.depth, shape.depthRow)) // cut chains into equal parts
    schedule.blockDepth = llvm::divideCeil(kProductOrder.chain, llvm::divideCeil(kProductOrder.chain, schedule.blockDepth));
  schedule.blockTiles = tuning::kPackedRows / schedule.tile.rows;
  packFarRows(schedule, shape, bytes, rhsBytes);
  return schedule;
}

LogicalResult lathe::cpu::checkContraction(KernelOp kernel, const ContractionShape &shape, Type element, int64_t panel,
                                           const ContractionSchedule &schedule, const VectorTarget &target) {
  unsigned bytes = bytesOf(scalarOf(element));
  if (failed(checkTile(kernel, schedule.tile, bytes, target, shape.rows)))
    return failure();
  int64_t width = int64_t(schedule.tile.vectors) * schedule.tile.lanes;
  if (panel && failed(checkPanels(kernel)))
    return failure();
  if (panel && panel % width && width % panel)
    return kernel.emitError("a tile of ") << width << " columns is neither a part nor a multiple of the panels of " << panel
                                          << " in which the right operand is stored";
  if (panel && schedule.blockDepth)
    return kernel.emitError("the right operand is stored in panels, of which no blocks are packed; expected 'block_depth' 0");
  if (schedule.packsLhs && (!schedule.blockDepth || schedule.blockTiles == 1 || !canPackLhs(shape)))
    return kernel.emitError(
        "a schedule with 'packs_lhs'; expected blocks of the right operand for several tiles, one matrix, and "
        "a left operand whose rows are adjacent, at known distances from one product to the next");
  int64_t stack = stackBytes(schedule, shape, bytes);
  if (stack > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'block_depth' ")
           << schedule.blockDepth << " and 'block_tiles' " << schedule.blockTiles << " takes " << stack
           << " bytes of a thread's stack; expected at most " << tuning::kMostStackBytes;
  return success();
}
