// An operand's part of a tile: how it comes to shared memory, box by box.
#ifndef LATHE_CODEGEN_GPU_HOPPER_SIDE_H
#define LATHE_CODEGEN_GPU_HOPPER_SIDE_H

#include "codegen/GPU/Contraction/SliceLayout.h"
#include "codegen/GPU/Hopper/Matrix.h"

namespace lathe::gpu {

/// Limits of cuTensorMapEncodeTiled: of what a box spans in a dimension, and of its steps there.
inline constexpr unsigned kMostBox = 256, kMostStep = 8;

struct Side {
  Side() = default;
  Side(const Matrix &matrix, llvm::ArrayRef<Span> own, llvm::ArrayRef<Span> depths)
      : matrix(matrix), own(own), depths(depths) {}

  Matrix matrix;
  llvm::SmallVector<Span> own;    // rows or columns of the product, of which a tile has `length`
  llvm::SmallVector<Span> depths; // of which a slice has a run
  unsigned length = 0;
  unsigned number = 0; // of its map
  unsigned offset = 0; // bytes from the beginning of a stage

  bool hasDepthInside() const { return matrix.hasDepthInside(); }
  /// Of a slice, whose depth is a run.
  unsigned depth() const { return kRunBytes * 8 / matrix.map.element.getIntOrFloatBitWidth(); }
  unsigned bytes() const { return length * kRunBytes; }
  /// A box with the depth inside has all of the tile, one with it outside a run along rows or columns.
  unsigned boxLength() const { return hasDepthInside() ? length : depth(); }
  unsigned boxBytes() const { return boxLength() * kRunBytes; }
  SliceLayout boxLayout() const { return SliceLayout::ofBox(matrix.map.element, boxLength(), hasDepthInside()); }
  /// How many places of what moves it a box has.
  unsigned boxOf(const Matrix::Term &term) const;
  /// Whether copies bring its boxes with rows, columns and the depth in the order of the spans.
  bool isCopied() const;
  /// Where in the tile, by spans, the box of this number begins.
  llvm::SmallVector<unsigned> placeOf(unsigned box) const;

  TensorMap map() const;
};

} // namespace lathe::gpu

#endif
