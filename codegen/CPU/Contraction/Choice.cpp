#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/CPU/Sums/Chains.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Bytes of a block of rhs that rows share, so that it stays in the first-level cache, and how many tiles of rows share one, so
/// that making it costs little.
constexpr int64_t kBlockBytes = 16 << 10, kBlockTiles = 16;
/// Bytes between products of a column from which they crowd few sets of the caches.
constexpr int64_t kFarApart = 256;
/// Vectors of sums that a thread's stack holds beside all else.
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
  // Blocks need many products, many rows to share them, and columns whose products lie far apart.
  const TileShape &tile = schedule.tile;
  int64_t depth = kBlockBytes / (int64_t(tile.vectors * tile.lanes) * bytes);
  if (tile.rows <= kFewRows || !isAtLeast(shape.rows, leastRowsOfBlock(tile)) || !isAtLeast(shape.depth, 2 * depth) ||
      !isAtLeast(shape.rhsDepthStride, kFarApart / bytesOf(scalarOf(rhsElement))))
    return schedule;
  if (!Chains::areOne(kProductOrder, element, shape.depth, shape.depthRow)) // equal parts of a chain
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
