// dot_general as register tiles: rows of lhs times contiguous columns of rhs.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_CONTRACTION_H
#define LATHE_CODEGEN_CPU_CONTRACTION_CONTRACTION_H

#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The schedule of a matrix product.
struct ContractionSchedule {
  static constexpr int64_t kMostBlockTiles = 1 << 10;

  TileShape tile;
  /// Products per block of rhs that is packed into the first-level cache and shared by many rows; 0 reads rhs in place.
  int64_t blockDepth = 0;
  /// Tiles of rows that share a block. If rhs is in panels: tiles of rows that meet all panels before the next rows, 1 for all.
  int64_t blockTiles = 1;
  /// The rows of lhs that share a block are copied to the stack, which all columns read.
  bool packsLhs = false;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("block_depth", blockDepth, 0, 1 << 20);
    visitor("block_tiles", blockTiles, 1, kMostBlockTiles);
    visitor("packs_lhs", packsLhs);
  }
};

/// The form of kernels around a lathe.dot_general over the kernel's inputs that is a batch of matrix products with contiguous
/// columns. The kernel's other ops are the epilogue. Every element is a sum of chains of fused multiply-adds (of products and
/// sums without FMA) in the order kProductOrder of the contracted index. No schedule changes a bit of the results.
const Form &contractionForm();

} // namespace lathe::cpu

#endif
