// The products of points of Winograd's filtering: their tiles, and rough times for cost models.
#ifndef LATHE_CODEGEN_CPU_WINOGRAD_PRODUCTS_H
#define LATHE_CODEGEN_CPU_WINOGRAD_PRODUCTS_H

#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// Elements between the points of an array beyond what they need: a cache line, so that the vectors of a square do not crowd
/// few sets of the first-level cache.
inline constexpr int64_t kWinogradPadding = VectorTarget::kCacheLineBytes / sizeof(float);

/// Returns the tile whose columns divide the filters, and whose lanes divide the channels, which the transforms read.
TileShape chooseProductTile(const VectorTarget &target, int64_t channels, int64_t filters);

/// Returns the rough cycles that the tiles of `rows` rows take for one product of each sum.
double cyclesOfRows(const TileShape &tile, int64_t rows, const VectorTarget &target);

} // namespace lathe::cpu

#endif
