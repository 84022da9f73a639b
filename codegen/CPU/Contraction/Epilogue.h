// The results of a product: what a kernel computes of the sums of a tile.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_EPILOGUE_H
#define LATHE_CODEGEN_CPU_CONTRACTION_EPILOGUE_H

#include "codegen/CPU/Contraction/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// Computes a kernel's results from sums on the stack, row by row. If the instructions behind a sum wait long for each other,
/// two rows are computed at once: a core has few vectors in flight.
class Epilogue {
public:
  Epilogue(KernelFrame &frame, DotGeneralOp op, const ContractionShape &shape, const TileShape &tile);

  /// The columns of a tile, some vectors from `first` on. If `end` is set, the last vector ends there.
  struct Columns {
    mlir::Value first;
    unsigned vectors;
    mlir::Value end;
  };

  /// Computes the rows top + [low, high) from the rows [low, high) of `sums`.
  void rows(mlir::Value sums, mlir::Value top, mlir::Value low, mlir::Value high, const Columns &columns);
  /// Computes `row` from the first row of `sums`.
  void row(mlir::Value sums, mlir::Value row, const Columns &columns);

  llvm::SmallVector<Index> place; // of the result; the caller sets the outer dimensions

private:
  void two(mlir::Value lowerSums, mlir::Value upperSums, mlir::Value lower, mlir::Value upper, const Columns &columns);

  KernelFrame &frame;
  PointEvaluator &eval;
  mlir::Value hero;
  const ContractionShape &shape;
  unsigned lanes; // of a vector
  mlir::Type element;
  bool isInPairs;
};

/// Returns the mask of lanes below `end` in the vector that begins at `first`.
mlir::Value lanesBelow(PointEvaluator &eval, mlir::Value end, mlir::Value first);

} // namespace lathe::cpu

#endif
