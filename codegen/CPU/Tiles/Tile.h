// Register tiles: the number and width of accumulators, and the columns that each tile has.
#ifndef LATHE_CODEGEN_CPU_TILES_TILE_H
#define LATHE_CODEGEN_CPU_TILES_TILE_H

#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// A tile of rows x vectors accumulators; each vector has `lanes` adjacent columns.
struct TileShape {
  unsigned rows = 1, vectors = 1, lanes = 1;

  template <typename Visitor>
  void visit(Visitor &visitor, const std::string &prefix = "") {
    visitor(prefix + "rows", rows, 1, 64);
    visitor(prefix + "vectors", vectors, 1, 64);
    visitor(prefix + "lanes", lanes, 1, 64);
  }
};

/// Refuses, with a diagnostic at the kernel, a tile that does not fit the target's vectors, or that leaves a remainder of
/// `rows` without a tile.
mlir::LogicalResult checkTile(KernelOp kernel, const TileShape &tile, unsigned elementBytes, const VectorTarget &target,
                              const Dim &rows);

/// Returns the tiles for any number of rows that fill the registers of a target.
llvm::SmallVector<TileShape> tallTiles(const VectorTarget &target, unsigned lanes);
/// Returns the relative time of a multiply-add in one of these tiles.
int64_t timeOf(const TileShape &tile);
/// Returns the best tile of this target for that many columns and any number of rows.
TileShape chooseTile(const VectorTarget &target, unsigned elementBytes, int64_t columns);
/// Returns the best tile for at most tuning::kFewRows rows. A tile with few rows is wider instead: too few independent sums
/// would leave the multipliers idle during their latency.
TileShape chooseFlatTile(const VectorTarget &target, unsigned elementBytes, int64_t rows, int64_t columns);
/// Returns the best tile for small numbers of rows: the widest one.
TileShape choosePixelTile(const VectorTarget &target, unsigned elementBytes, int64_t columns);

/// The adjacent columns of one tile.
struct TileColumns {
  mlir::Value first; // first column
  unsigned vectors;
  int64_t lastLanes; // lanes of the last vector; fewer than the tile's at the end
};

/// Calls `body` for all columns: in a loop for full tiles, then for the remainder.
void forTileColumns(CodeFrame &frame, const TileShape &tile, int64_t columns,
                    llvm::function_ref<void(const TileColumns &)> body);

/// Sets the evaluator's lanes and tail mask for one vector of a tile's columns during its lifetime.
class VectorScope {
public:
  VectorScope(CodeFrame &frame, const TileShape &tile, const TileColumns &columns, unsigned vector);
  ~VectorScope() { frame.eval.tail = {}; }

private:
  CodeFrame &frame;
};

/// Computes the kernel's results for vector `vector` of a row. `sums` points to the hero's values of the row, whose columns
/// begin at `first`. Sets the last coordinate of `place`. The evaluator's lanes and tail must be set.
void finishVector(KernelFrame &frame, mlir::Value hero, mlir::Value sums, mlir::Value first, unsigned vector,
                  llvm::MutableArrayRef<Index> place);
/// Calls finishVector for all vectors of a tile's columns.
void finishColumns(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, mlir::Value hero, mlir::Value sums,
                   llvm::MutableArrayRef<Index> place);
/// Computes the kernel's results for one pixel of an image. `outer` and `last` are its position in the image.
void finishPixel(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, mlir::Value hero, mlir::Value sums,
                 mlir::Value image, llvm::ArrayRef<mlir::Value> outer, mlir::Value last);

/// Covers `count` rows (a value) by tiles of `most` rows, then of smaller powers of two, but no fewer than `least`. Calls
/// `body` with the first row and the number of rows as values. Leaves out count % most % least rows.
void forTiles(CodeFrame &frame, unsigned most, unsigned least, mlir::Value count,
              llvm::function_ref<void(mlir::Value first, mlir::Value rows)> body);
/// Returns the heights that these tiles may have, in descending order.
llvm::SmallVector<unsigned> heightsOf(unsigned most, unsigned least);
/// Emits code for each of the heights that a value may have.
void selectHeight(CodeFrame &frame, mlir::Value height, llvm::ArrayRef<unsigned> heights,
                  llvm::function_ref<void(unsigned)> body);

} // namespace lathe::cpu

#endif
