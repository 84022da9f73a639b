#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Parts.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

/// The number of a matrix' rows or columns; that of a named one may be anything and counts as large.
static int64_t productSize(const KernelLoops &loops, ArrayRef<unsigned> dims) {
  constexpr int64_t kLarge = 4096;
  Dim all = extentOf(loops, dims);
  return all.isStatic() ? all.constant() : kLarge;
}

Tile lathe::gpu::chooseTile(const Product &product, const KernelLoops &loops) {
  constexpr int64_t kFew = 16, kManyTiles = 264; // two for each multiprocessor of the largest GPUs
  int64_t rows = productSize(loops, product.rows), columns = productSize(loops, product.columns);
  int64_t batch = productSize(loops, product.batch);
  Tile tile;
  if (columns <= kFew)
    tile = {64, 16, 16, 4, 1};
  else if (rows <= kFew)
    tile = {16, 64, 16, 1, 4};
  else if (!product.element.isF64() && batch * llvm::divideCeil(rows, 128) * llvm::divideCeil(columns, 64) >= kManyTiles)
    tile = {128, 64, 16, 4, 2};
  if (isHalf(product.element))
    tile.depth = 32;
  return tile;
}

TileGrid::TileGrid(const Product &product, const Tile &tile, const KernelLoops &loops)
    : down(ceilDiv(extentOf(loops, product.rows), tile.rows)), across(ceilDiv(extentOf(loops, product.columns), tile.columns)),
      tiles(down * across * extentOf(loops, product.batch)), parts(tiles.isStatic() ? partsFor(loops, tiles.constant()) : 1) {}

void TileGrid::addTo(KernelLoops &loops) const {
  collectFactors(down, loops.symbols);
  collectFactors(across, loops.symbols);
}
