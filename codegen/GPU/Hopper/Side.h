// An operand's part of a tile: how it comes to shared memory, box by box.
#ifndef LATHE_CODEGEN_GPU_HOPPER_SIDE_H
#define LATHE_CODEGEN_GPU_HOPPER_SIDE_H

#include "codegen/GPU/Contraction/PieceLayout.h"
#include "codegen/GPU/Hopper/Matrix.h"

namespace lathe::gpu {

struct Side {
  Matrix matrix;
  llvm::ArrayRef<unsigned> own; // the product's dimensions of which a tile has `length`: its rows or columns
  unsigned number;              // of its map
  unsigned length;
  unsigned offset; // bytes from the beginning of a stage

  bool hasDepthInside() const { return matrix.hasDepthInside(); }
  /// Of a piece, whose depth is a run.
  unsigned depth() const { return kRunBytes * 8 / matrix.map.element.getIntOrFloatBitWidth(); }
  unsigned bytes() const { return length * kRunBytes; }
  /// A box with the depth inside has all of the tile, one with it outside a run along rows or columns.
  unsigned boxLength() const { return hasDepthInside() ? length : depth(); }
  unsigned boxBytes() const { return boxLength() * kRunBytes; }
  PieceLayout boxLayout() const {
    return PieceLayout::ofBox(matrix.map.element, hasDepthInside() ? length : depth(), hasDepthInside());
  }

  TensorMap map() const {
    TensorMap map = matrix.map;
    for (auto [axis, dimension] : llvm::zip_equal(matrix.axes, map.dimensions))
      dimension.box = axis.role == Matrix::Own ? boxLength() : axis.role == Matrix::Depth ? depth() : 1;
    return map;
  }
};

} // namespace lathe::gpu

#endif
