// Register tiles: how many accumulators of which width, and the panels that columns divide into.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_TILE_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_TILE_H

#include "codegen/CPU/Convolution/Frame.h"

namespace lathe::cpu {

/// Accumulators are rows x vectors; each vector has `lanes` neighbouring columns.
struct TileShape {
  unsigned rows, vectors, lanes;
};

/// The best tile of this target for so many columns and any number of rows.
TileShape chooseTile(const Target &target, unsigned elementBytes, int64_t columns);
/// The best one where rows come in small numbers: as wide as it can be.
TileShape choosePixelTile(const Target &target, unsigned elementBytes, int64_t columns);

/// Neighbouring columns that one tile covers.
struct Panel {
  mlir::Value first; // column
  unsigned vectors;
  int64_t lastLanes; // of the last vector; fewer than the tile's at the end
};

/// Calls `body` for all columns: in a loop for full panels, then for what is left.
void forPanels(KernelFrame &frame, const TileShape &tile, int64_t columns, llvm::function_ref<void(const Panel &)> body);

/// Sets the evaluator's lanes and tail for vector v of a panel while it lives.
class VectorScope {
public:
  VectorScope(KernelFrame &frame, const TileShape &tile, const Panel &panel, unsigned vector);
  ~VectorScope() { frame.eval.tail = {}; }

private:
  KernelFrame &frame;
};

/// Heights of the tiles that cover `count` rows (a value) from `most` down to `least`: calls `body` in a loop of that step with the
/// first row. count % most % least rows are left.
void forHeights(KernelFrame &frame, unsigned most, unsigned least, mlir::Value count,
                llvm::function_ref<void(unsigned rows, mlir::Value first)> body);

} // namespace lathe::cpu

#endif
