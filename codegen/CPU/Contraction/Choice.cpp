#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/CPU/Sums/Chains.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Bytes of a packed block of rhs: half of the smallest first-level cache. Larger caches keep it, because blocks are also for
/// products that map to few cache sets. Row tiles that share a block, so that packing it costs little.
constexpr int64_t kBlockBytes = 16 << 10, kBlockTiles = 16;
/// Distance in bytes from which the products of a column map to few cache sets.
constexpr int64_t kFarApart = 256;
/// Most bytes of sums and blocks on a thread's stack.
constexpr int64_t kMostStack = 256 << 10;

int64_t bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

bool isAtLeast(const Dim &dim, int64_t least) { return !dim.isStatic() || dim.constant() >= least; }
} // namespace

ContractionSchedule lathe::cpu::chooseContraction(const ContractionShape &shape, Type element, Type rhsElement,
                                                  const VectorTarget &target) {
  unsigned bytes = bytesOf(scalarOf(element));
  int64_t columns = shape.columns.isStatic() ? shape.columns.constant() : INT32_MAX;
  bool isFlat = shape.rows.isStatic() && shape.rows.constant() >= 1 && shape.rows.constant() <= kFewRows;
  ContractionSchedule schedule;
  schedule.tile = isFlat ? chooseFlatTile(target, bytes, shape.rows.constant(), columns) : chooseTile(target, bytes, columns);
  // Blocks pay for many products, many rows that share them, and products that are far apart in memory.
  const TileShape &tile = schedule.tile;
  int64_t depth = kBlockBytes / (int64_t(tile.vectors * tile.lanes) * bytes);
  if (isFlat || !isAtLeast(shape.rows, leastRowsOfBlock(tile)) || !isAtLeast(shape.depth, 2 * depth) ||
      !isAtLeast(shape.rhsDepthStride, kFarApart / bytesOf(scalarOf(rhsElement))))
    return schedule;
  if (!Chains::areOne(kProductOrder, element, shape.depth, shape.depthRow)) // cut chains into equal parts
    depth = llvm::divideCeil(kProductOrder.chain, llvm::divideCeil(kProductOrder.chain, depth));
  schedule.blockDepth = depth;
  schedule.blockTiles = kBlockTiles;
  return schedule;
}

LogicalResult lathe::cpu::checkContraction(KernelOp kernel, const ContractionShape &shape, Type element,
                                           const ContractionSchedule &schedule, const VectorTarget &target) {
  unsigned bytes = bytesOf(scalarOf(element));
  if (failed(checkTile(kernel, schedule.tile, bytes, target, shape.rows)))
    return failure();
  int64_t width = int64_t(schedule.tile.vectors) * schedule.tile.lanes;
  int64_t stack = (3 * schedule.blockTiles * schedule.tile.rows + schedule.blockDepth) * width * bytes;
  if (stack > kMostStack)
    return kernel.emitError("a schedule with 'block_depth' ")
           << schedule.blockDepth << " and 'block_tiles' " << schedule.blockTiles << " takes " << stack
           << " bytes of a thread's stack; expected at most " << kMostStack;
  return success();
}
