#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Threads/Parts.h"
#include "codegen/GPU/Tuning.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

/// Estimates the number of a matrix's rows, columns or batches. A named size may be anything: the number counts as large, and
/// each named size as at least several.
static int64_t productSize(const KernelLoops &loops, ArrayRef<unsigned> dims) {
  if (Dim all = extentOf(loops, dims); all.isStatic())
    return all.constant();
  int64_t size = 1;
  for (unsigned dim : dims)
    size *= loops.extents[dim].isStatic() ? loops.extents[dim].constant() : tuning::kSeveral;
  return std::max(size, tuning::kLargeExtent);
}

Tile lathe::gpu::chooseTile(const Product &product, const KernelLoops &loops, bool isFast) {
  int64_t rows = productSize(loops, product.rows), columns = productSize(loops, product.columns);
  int64_t batch = productSize(loops, product.batch);
  auto tiles = [&](unsigned tileRows, unsigned tileColumns) -> int64_t {
    return batch * llvm::divideCeil(rows, tileRows) * llvm::divideCeil(columns, tileColumns);
  };
  auto has = [&](int64_t least, unsigned tileRows, unsigned tileColumns) { // so many tiles, none half empty
    return rows > tileRows / 2 && columns > tileColumns / 2 && tiles(tileRows, tileColumns) >= least;
  };
  unsigned bytes = product.element.getIntOrFloatBitWidth() / 8;
  bool isCopied = std::min(product.lhs.copied, product.rhs.copied) * bytes >= tuning::kWideCopy,
       isDouble = product.element.isF64();
  bool isSplit = product.element.isF32() && !isFast; // and has twice as many words
  Tile tile;
  if (columns <= tuning::kFlatSide)
    tile = {64, 16, 16, 4, 1};
  else if (rows <= tuning::kFlatSide)
    tile = {16, 64, 16, 1, 4};
  else if (isCopied && !isDouble && !isSplit && has(kMultiprocessors, 128, 128))
    tile = {128, 128, 16, 2, 2};
  else if (isCopied && !isDouble && has(2 * kMultiprocessors, 128, 64))
    tile = {128, 64, 16, 2, 2};
  else if (isCopied && tiles(64, 64) * partsFor(loops, tiles(64, 64)) >= 3 * kMultiprocessors / 2) // else too few warps
    tile = {64, 64, 16, 2, 2};
  else if (!isDouble && has(2 * kMultiprocessors, 128, 64))
    tile = {128, 64, 16, 4, 2};
  if (isHalf(product.element))
    tile.depth = 32;
  return tile;
}

std::pair<Value, Value> lathe::gpu::placeInBands(ThreadFrame &frame, Value number, Value down, Value across) {
  PointEvaluator &eval = frame.eval;
  OpBuilder &b = frame.b;
  Value band = eval.mul(across, frame.number(tuning::kBand));
  Value above = eval.mul(frame.divide(number, band), frame.number(tuning::kBand)), inBand = frame.remainder(number, band);
  Value height = b.createOrFold<arith::MinUIOp>(frame.loc, eval.sub(down, above), frame.number(tuning::kBand));
  return {eval.add(above, frame.remainder(inBand, height)), frame.divide(inBand, height)};
}

std::pair<Value, Value> lathe::gpu::placePart(ThreadFrame &frame, Value part, int64_t parts, Value slices) {
  PointEvaluator &eval = frame.eval;
  if (parts == 1)
    return {eval.i64(0), slices};
  Value size = frame.divideUp(slices, parts), start = eval.mul(part, size);
  return {start, frame.max(eval.min(eval.sub(slices, start), size), eval.i64(0))};
}

TileGrid::TileGrid(const Product &product, const Tile &tile, const KernelLoops &loops, int64_t parts)
    : down(ceilDiv(extentOf(loops, product.rows), tile.rows)), across(ceilDiv(extentOf(loops, product.columns), tile.columns)),
      tiles(down * across * extentOf(loops, product.batch)), parts(parts) {}

void TileGrid::addTo(KernelLoops &loops) const {
  collectFactors(down, loops.symbols);
  collectFactors(across, loops.symbols);
}
