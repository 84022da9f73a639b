// The tile of a matrix product that a block computes.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_TILE_H
#define LATHE_CODEGEN_GPU_CONTRACTION_TILE_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

struct Tile {
  unsigned rows = 64, columns = 64;
  unsigned depth = 16;                     // depth of a k-slice in shared memory
  unsigned warpsDown = 4, warpsAcross = 2; // how warps share the tile

  unsigned threads() const { return warpsDown * warpsAcross * kWarp; }
  unsigned warpRows() const { return rows / warpsDown; }
  unsigned warpColumns() const { return columns / warpsAcross; }
};

/// Chooses a tile from the known sizes and from how operands are loaded. Large tiles read less of the operands for each
/// product, and large parts of a warp read less shared memory. But threads have registers for them only if copies bypass these.
/// The tile is the same for all architectures, because the host counts tiles once. `isFast` is that of Target.
Tile chooseTile(const Product &product, const KernelLoops &loops, bool isFast);

/// Returns the row and column of a tile in a matrix of `down` x `across` tiles (i32). Tiles are numbered column by column
/// within bands of rows, so that tiles that run together share rows and columns of the operands.
std::pair<mlir::Value, mlir::Value> placeInBands(ThreadFrame &frame, mlir::Value number, mlir::Value down, mlir::Value across);

/// Returns the first k-slice of a part of the depth, and how many it has. The last part may have none. `part` is not used if
/// there is only one.
std::pair<mlir::Value, mlir::Value> placePart(ThreadFrame &frame, mlir::Value part, int64_t parts, mlir::Value slices);

/// The number of tiles of a product, and of parts of its depth. The host computes and passes the numbers like other sizes.
struct TileGrid {
  TileGrid(const Product &product, const Tile &tile, const KernelLoops &loops, int64_t parts);
  /// Adds the factors of the numbers to the loops' symbols.
  void addTo(KernelLoops &loops) const;

  Dim down, across, tiles;
  int64_t parts;
};

} // namespace lathe::gpu

#endif
