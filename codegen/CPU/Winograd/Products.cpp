#include "codegen/CPU/Winograd/Products.h"
#include "codegen/Schedules/Cheapest.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

TileShape lathe::cpu::chooseProductTile(const VectorTarget &target, int64_t channels, int64_t filters) {
  SmallVector<TileShape> candidates;
  for (unsigned lanes = target.lanes(sizeof(float)); lanes > 1; lanes /= 2) {
    for (const TileShape &tile : tallTiles(target, lanes))
      if (channels % lanes == 0 && filters % (tile.vectors * tile.lanes) == 0)
        candidates.push_back(tile);
    if (!candidates.empty())
      break;
  }
  return cheapest(candidates, timeOf);
}

double lathe::cpu::cyclesOfRows(const TileShape &tile, int64_t rows, const VectorTarget &target) {
  double cycles = 0;
  SmallVector<unsigned> heights = heightsOf(tile.rows, 1);
  for (unsigned height : heights) {
    int64_t tiles = height == tile.rows ? rows / height : rows >= height;
    rows -= tiles * height;
    cycles += tiles * std::max<double>(double(height) * tile.vectors / target.fmaPorts, target.fmaLatency);
  }
  return cycles;
}

LogicalResult lathe::cpu::checkWinogradBlocks(KernelOp kernel, const TileShape &tile, int64_t channels, int64_t filters,
                                              const WinogradShape &shape, const VectorTarget &target) {
  int64_t panel = int64_t(tile.vectors) * tile.lanes;
  if (failed(checkTile(kernel, tile, sizeof(float), target, Dim::unknown())))
    return failure();
  if (filters % panel || shape.filters() % filters)
    return kernel.emitError("a schedule with 'filters' ") << filters << "; expected a divisor of the " << shape.filters()
                                                          << " filters and a multiple of the tile's " << panel << " columns";
  if (channels % tile.lanes || shape.channels() % tile.lanes)
    return kernel.emitError("a schedule with 'channels' ")
           << channels << " for " << shape.channels() << " channels; expected multiples of the tile's " << tile.lanes
           << " lanes";
  return success();
}
