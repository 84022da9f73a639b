// Matrix products of bf16 with f32 sums on the tile registers of AMX.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_AMXPRODUCTS_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_AMXPRODUCTS_H

#include "codegen/CPU/PairProducts/AmxTile.h"
#include "codegen/CPU/PairProducts/Choice.h"

namespace lathe::cpu {

/// The schedule of such a product.
struct AmxSchedule {
  /// Tile registers of sums: each has 16 rows and 16 columns.
  unsigned rowTiles = 1, columnTiles = 1;
  /// Rows that meet all columns before the next ones.
  int64_t blockRows = 1;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("row_tiles", rowTiles, 1, 2);
    visitor("column_tiles", columnTiles, 1, 4);
    visitor("block_rows", blockRows, 1, 1 << 20);
  }

  /// Returns the rows and columns of a tile.
  TileShape tile() const { return {rowTiles * AmxTile::kRows, columnTiles, AmxTile::kLanes}; }
};

/// True if the target has AMX's products of bf16, on a system that entries can ask for its registers.
bool multipliesTiles(const VectorTarget &target);

/// The form of kernels around a product with the attribute `lathe.bf16_pairs`, which takes precedence over `bf16_product`. Each
/// 16 pairs give two sums from 0, of their first and of their second products, where each step rounds once; their total is
/// added to the element. The last pairs are filled up with zeros. No schedule changes this order.
const Form &amxProductForm();

AmxSchedule chooseAmxProduct(const PairProductShape &shape, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkAmxProduct(KernelOp kernel, const PairProductShape &shape, const AmxSchedule &schedule);

} // namespace lathe::cpu

#endif
