// dot_general as register tiles: rows from lhs, columns the neighbours in rhs.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_CONTRACTION_H
#define LATHE_CODEGEN_CPU_CONTRACTION_CONTRACTION_H

#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// How the tiles of a matrix product are made.
struct ContractionSchedule {
  TileShape tile;
  /// Products of a block of rhs that is copied to the first cache, where many rows share it; 0 reads rhs where it lies.
  int64_t blockDepth = 0;
  int64_t blockTiles = 1; // tiles of rows that share a block

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("block_depth", blockDepth, 0, 1 << 20);
    visitor("block_tiles", blockTiles, 1, 1 << 10);
  }
};

/// The form of kernels around a lathe.dot_general over the kernel's inputs that is a batch of matrix products with neighbouring
/// columns. What else the kernel does is its epilogue. Every element is a sum of chains of fused multiply-adds (of products and
/// sums without FMA) in the order kProductOrder of the contracted index: no schedule changes a bit.
const Form &contractionForm();

} // namespace lathe::cpu

#endif
