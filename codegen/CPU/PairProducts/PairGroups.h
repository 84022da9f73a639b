// The loops around the tiles of a product of bf16 in pairs, and the columns of a tile as pairs.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_PAIRGROUPS_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_PAIRGROUPS_H

#include "codegen/CPU/PairProducts/Choice.h"

namespace lathe::cpu {

/// The columns that a tile meets, as pairs of adjacent rows of rhs.
struct PairColumns {
  mlir::Value pairs; // the first column's first pair
  int64_t pitch;     // columns of a panel: those behind are in the next one
  TileColumns written;
};

/// The work items of such a product: ceil(extent / unit).
struct PairItems {
  Dim extent;
  int64_t unit;
};

/// Emits these loops for the rows of a call:
///
///   for block of `blockRows` rows, for group of columns         // as many as a tile
///     columns = pairs of rhs[:, group]                          // packed, unless rhs is a constant that is stored in panels
///     body(columns, rows of the block)
class PairGroups {
public:
  PairGroups(KernelFrame &frame, const PairProductShape &shape, const TileShape &tile, int64_t blockRows);

  /// Rows are counted fastest, then groups of columns, then blocks of rows. Each work item packs the columns that it reads,
  /// unless they are in panels, and has many rows then.
  PairItems items() const { return {shape.rows * Dim(groups()), unit()}; }

  using Body = llvm::function_ref<void(const PairColumns &columns, mlir::Value firstRow, mlir::Value count)>;
  void emit(Body body);

  /// Computes the kernel's results for the columns of a row, whose products have the sums at `sums`.
  void finishRow(mlir::Value row, const PairColumns &columns, mlir::Value sums);

  /// Returns the pairs between the panels of rhs.
  int64_t panelSize(const PairColumns &columns) const { return shape.pairs() * columns.pitch; }

private:
  int64_t unit() const;
  int64_t groups() const { return llvm::divideCeil(shape.columns, width); }
  void emitGroup(mlir::Value group, mlir::Value firstRow, mlir::Value count, Body body);
  void emitColumns(mlir::Value first, int64_t count, mlir::Value firstRow, mlir::Value rows, Body body);
  mlir::Value inPanels(mlir::Value column);
  void packColumns(mlir::Value first, int64_t count);
  void packPair(mlir::Value from, mlir::Value number, int64_t count, bool isOdd);

  KernelFrame &frame;
  PointEvaluator &eval;
  const PairProductShape &shape;
  TileShape tile;
  int64_t blockRows, width; // `width`: of a group of columns
  mlir::Type half, pair;
  mlir::Value rows, rhs;
  mlir::Value packed; // on the stack; null if rhs is in panels
  llvm::SmallVector<Index> place;
};

/// Emits the function of a kernel around such a product. `body` emits its code, and returns the work items.
mlir::FailureOr<KernelCode> emitPairProduct(KernelOp kernel, const FunctionPlace &at,
                                            llvm::function_ref<PairItems(KernelFrame &, const PairProductShape &)> body);

} // namespace lathe::cpu

#endif
