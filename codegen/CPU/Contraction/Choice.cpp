#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/Schedules/Panels.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Bytes of a packed block of rhs: half of the smallest first-level cache. Larger caches keep it, because blocks are also for
/// products that map to few cache sets. Rows that share a block, so that packing it costs little.
constexpr int64_t kPackedBytes = 16 << 10, kPackedRows = 128;
/// Distance in bytes from which the products of a column map to few cache sets.
constexpr int64_t kFarApart = 256;
/// Rows that share a panel, so that reading it costs little.
constexpr int64_t kLeastRowBlock = 256;
/// Most bytes of sums and blocks on a thread's stack.
constexpr int64_t kMostStack = 256 << 10;

int64_t bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

bool isAtLeast(const Dim &dim, int64_t least) { return !dim.isStatic() || dim.constant() >= least; }

/// Returns the tiles for factors in panels, the widest first. More sums than these do not fit the registers.
SmallVector<TileShape> panelTiles(const VectorTarget &target, unsigned bytes) {
  unsigned lanes = target.lanes(bytes);
  if (target.vectorRegisters >= 32)
    return {{8, 3, lanes}, {8, 2, lanes}, {16, 1, lanes}};
  if (!target.hasFMA) // the product needs its own register
    return {{4, 2, lanes}, {8, 1, lanes}};
  return {{4, 3, lanes}, {6, 2, lanes}, {8, 1, lanes}};
}

/// Returns the relative time of a row of sums. A tile of too few sums waits for fused multiply-adds, and a narrow tile loads
/// more factors for each of them: 4 % more time was measured for two vectors instead of three.
int64_t costOf(const TileShape &tile, int64_t columns, const VectorTarget &target) {
  int64_t vectors = llvm::divideCeil(columns, int64_t(tile.lanes)), rest = vectors % tile.vectors;
  int64_t work = vectors - rest + (rest ? std::max<int64_t>(rest, target.fmaChains() / tile.rows) : 0);
  return work * (tile.vectors == 3 ? 100 : tile.vectors == 2 ? 104 : 120);
}

TileShape choosePanelTile(const VectorTarget &target, unsigned bytes, int64_t columns, int64_t panel) {
  TileShape best;
  for (const TileShape &tile : panelTiles(target, bytes)) {
    bool fits = panel ? panel % (tile.vectors * tile.lanes) == 0 : columns >= tile.vectors * tile.lanes;
    if (fits && (best.lanes == 1 || costOf(tile, columns, target) < costOf(best, columns, target)))
      best = tile;
  }
  return best;
}

/// Returns the number of tiles of rows that meet all panels before the next ones, so that rows are read from memory once and
/// then from the second-level cache; 1 if all rows do.
int64_t chooseRowBlock(const ContractionShape &shape, unsigned bytes, const TileShape &tile, const VectorTarget &target) {
  if (!shape.depth.isStatic() || shape.depth.constant() < 1)
    return 1;
  int64_t rows = std::max(target.secondBlockBytes() / (shape.depth.constant() * bytes), kLeastRowBlock);
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

ContractionSchedule lathe::cpu::chooseContraction(const ContractionShape &shape, Type element, Type rhsElement, int64_t panel,
                                                  const VectorTarget &target) {
  unsigned bytes = bytesOf(scalarOf(element));
  int64_t columns = shape.columns.isStatic() ? shape.columns.constant() : INT32_MAX;
  bool isFlat = shape.rows.isStatic() && shape.rows.constant() >= 1 && shape.rows.constant() <= kFewRows;
  ContractionSchedule schedule;
  if (panel) {
    schedule.tile = choosePanelTile(target, bytes, columns, panel);
    schedule.blockTiles = chooseRowBlock(shape, bytes, schedule.tile, target);
    if (isFlat)
      widenFlatTile(schedule.tile, shape.rows.constant(), columns, panel, target);
    return schedule;
  }
  schedule.tile = isFlat ? chooseFlatTile(target, bytes, shape.rows.constant(), columns) : chooseTile(target, bytes, columns);
  // Blocks pay for many products, many rows that share them, and products that are far apart in memory.
  const TileShape &tile = schedule.tile;
  int64_t depth = kPackedBytes / (int64_t(tile.vectors * tile.lanes) * bytes);
  if (isFlat || !isAtLeast(shape.rows, leastRowsOfBlock(tile)) || !isAtLeast(shape.depth, 2 * depth) ||
      !isAtLeast(shape.rhsDepthStride, kFarApart / bytesOf(scalarOf(rhsElement))))
    return schedule;
  if (!Chains::areOne(kProductOrder, element, shape.depth, shape.depthRow)) // cut chains into equal parts
    depth = llvm::divideCeil(kProductOrder.chain, llvm::divideCeil(kProductOrder.chain, depth));
  schedule.blockDepth = depth;
  schedule.blockTiles = kPackedRows / tile.rows;
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
  int64_t sharing = schedule.blockDepth ? schedule.blockTiles : 1;
  int64_t stack = (3 * sharing * schedule.tile.rows + schedule.blockDepth) * width * bytes;
  if (stack > kMostStack)
    return kernel.emitError("a schedule with 'block_depth' ")
           << schedule.blockDepth << " and 'block_tiles' " << schedule.blockTiles << " takes " << stack
           << " bytes of a thread's stack; expected at most " << kMostStack;
  return success();
}
