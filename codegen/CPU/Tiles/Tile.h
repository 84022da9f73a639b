// Register tiles: how many accumulators of which width, and the panels that columns divide into.
#ifndef LATHE_CODEGEN_CPU_TILES_TILE_H
#define LATHE_CODEGEN_CPU_TILES_TILE_H

#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// Accumulators are rows x vectors; each vector has `lanes` neighbouring columns.
struct TileShape {
  unsigned rows = 1, vectors = 1, lanes = 1;

  template <typename Visitor>
  void visit(Visitor &visitor, const std::string &prefix = "") {
    visitor(prefix + "rows", rows, 1, 64);
    visitor(prefix + "vectors", vectors, 1, 64);
    visitor(prefix + "lanes", lanes, 1, 64);
  }
};

/// Refuses, with a diagnostic at the kernel, a tile that does not fit the target's vectors, or whose heights for what is left
/// of `rows` the emitters do not have.
mlir::LogicalResult checkTile(KernelOp kernel, const TileShape &tile, unsigned elementBytes, const VectorTarget &target,
                              const Dim &rows);

/// The best tile of this target for so many columns and any number of rows.
TileShape chooseTile(const VectorTarget &target, unsigned elementBytes, int64_t columns);
/// The best one for so few rows, at most kFewRows: what they lack in accumulators the tile has in width, for sums that wait for
/// themselves keep no multiplier busy.
TileShape chooseFlatTile(const VectorTarget &target, unsigned elementBytes, int64_t rows, int64_t columns);
inline constexpr int64_t kFewRows = 4;
/// The best one where rows come in small numbers: as wide as it can be.
TileShape choosePixelTile(const VectorTarget &target, unsigned elementBytes, int64_t columns);

/// Neighbouring columns that one tile covers.
struct Panel {
  mlir::Value first; // column
  unsigned vectors;
  int64_t lastLanes; // of the last vector; fewer than the tile's at the end
};

/// Calls `body` for all columns: in a loop for full panels, then for what is left.
void forPanels(CodeFrame &frame, const TileShape &tile, int64_t columns, llvm::function_ref<void(const Panel &)> body);

/// Sets the evaluator's lanes and tail for vector v of a panel while it lives.
class VectorScope {
public:
  VectorScope(CodeFrame &frame, const TileShape &tile, const Panel &panel, unsigned vector);
  ~VectorScope() { frame.eval.tail = {}; }

private:
  CodeFrame &frame;
};

/// The kernel's results of vector `vector` of a row: `sums` holds the hero's values of the row, whose columns begin at `first`;
/// the last coordinate of `place` is filled in. The evaluator has the lanes and the tail.
void finishVector(KernelFrame &frame, mlir::Value hero, mlir::Value sums, mlir::Value first, unsigned vector,
                  llvm::MutableArrayRef<Index> place);
/// The same for all vectors of a panel.
void finishPanel(KernelFrame &frame, const TileShape &tile, const Panel &panel, mlir::Value hero, mlir::Value sums,
                 llvm::MutableArrayRef<Index> place);
/// Finishes the sums of one pixel; `at` has its image and its places in the image.
void finishPixel(KernelFrame &frame, const TileShape &tile, const Panel &panel, mlir::Value hero, mlir::Value sums,
                 llvm::ArrayRef<mlir::Value> at);

/// Covers `count` rows (a value) by tiles of `most` rows, then of 4, 2 and 1 as long as they are not less than `least`: calls
/// `body` with the first row and the number of rows, a value as well. count % most % least rows are left.
void forTiles(CodeFrame &frame, unsigned most, unsigned least, mlir::Value count,
              llvm::function_ref<void(mlir::Value first, mlir::Value rows)> body);
/// The heights that these tiles may have, the smallest last.
llvm::SmallVector<unsigned> heightsOf(unsigned most, unsigned least);
/// Code for each of the heights that a value may have.
void selectHeight(CodeFrame &frame, mlir::Value height, llvm::ArrayRef<unsigned> heights,
                  llvm::function_ref<void(unsigned)> body);

} // namespace lathe::cpu

#endif
