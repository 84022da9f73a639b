// Sizes of the tile of a matrix product that a block of threads computes.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_TILE_H
#define LATHE_CODEGEN_GPU_CONTRACTION_TILE_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

struct Tile {
  unsigned rows = 64, columns = 64;
  unsigned depth = 16;                     // of a slice in shared memory
  unsigned warpsDown = 4, warpsAcross = 2; // how warps share the tile

  unsigned threads() const { return warpsDown * warpsAcross * kWarp; }
  unsigned warpRows() const { return rows / warpsDown; }
  unsigned warpColumns() const { return columns / warpsAcross; }
};

/// From what is known of the sizes and of how elements come: large tiles read less of the operands for each product, and large
/// parts for a warp less of shared memory, but threads have registers for them only where copies go past these. The same for
/// all architectures, since the host counts tiles once. `isFast`: see Target.
Tile chooseTile(const Product &product, const KernelLoops &loops, bool isFast);

/// The tile of this number in a matrix of so many tiles (i32): its row and column. Those that run together share rows and
/// columns: they fill bands of some tile rows, column by column.
std::pair<mlir::Value, mlir::Value> placeInBands(ThreadFrame &frame, mlir::Value number, mlir::Value down, mlir::Value across);

/// What one of so many blocks has of all slices of the depth: its first one, and how many. The last block may have none.
/// `part`: its number; not looked at where it is alone.
std::pair<mlir::Value, mlir::Value> placePart(ThreadFrame &frame, mlir::Value part, int64_t parts, mlir::Value slices);

/// How many tiles a product has, and in how many parts of the depth blocks share them. The numbers are sizes that the host
/// gives as it does others.
struct TileGrid {
  TileGrid(const Product &product, const Tile &tile, const KernelLoops &loops, int64_t parts);
  /// Puts their factors among the loops' symbols.
  void addTo(KernelLoops &loops) const;

  Dim down, across, tiles;
  int64_t parts;
};

} // namespace lathe::gpu

#endif
