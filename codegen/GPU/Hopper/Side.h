// An operand's part of a tile, and the TMA boxes by which it is loaded.
#ifndef LATHE_CODEGEN_GPU_HOPPER_SIDE_H
#define LATHE_CODEGEN_GPU_HOPPER_SIDE_H

#include "codegen/GPU/Contraction/SliceLayout.h"
#include "codegen/GPU/Hopper/Matrix.h"

namespace lathe::gpu {

/// Limits of cuTensorMapEncodeTiled: elements that a box spans in a dimension, and steps between copied elements.
inline constexpr unsigned kMostBox = 256, kMostStep = 8;

struct Side {
  Side() = default;
  Side(const Matrix &matrix, llvm::ArrayRef<Span> own, llvm::ArrayRef<Span> depths)
      : matrix(matrix), own(own), depths(depths) {}

  Matrix matrix;
  llvm::SmallVector<Span> own;    // rows or columns of the product, of which a tile has `length`
  llvm::SmallVector<Span> depths; // spans of the depth, of which a k-slice has a run
  unsigned length = 0;
  unsigned number = 0; // number of its TMA descriptor
  unsigned offset = 0; // bytes from the beginning of a stage

  bool hasDepthInside() const { return matrix.hasDepthInside(); }
  /// Returns the depth of a k-slice, which is a run.
  unsigned depth() const { return kRunBytes * 8 / matrix.map.element.getIntOrFloatBitWidth(); }
  unsigned bytes() const { return length * kRunBytes; }
  /// Returns the rows or columns of a box: all of the tile if the depth is inside, else a run.
  unsigned boxLength() const { return hasDepthInside() ? length : depth(); }
  unsigned boxBytes() const { return boxLength() * kRunBytes; }
  SliceLayout boxLayout() const { return SliceLayout::ofBox(matrix.map.element, boxLength(), hasDepthInside()); }
  /// Returns the number of points of a term's loop in a box.
  unsigned boxOf(const Matrix::Term &term) const;
  /// True if TMA copies the boxes with rows, columns and the depth in the order of the spans.
  bool isCopied() const;
  /// Returns the first point of a box in the tile, by spans.
  llvm::SmallVector<unsigned> placeOf(unsigned box) const;

  TensorMap map() const;
};

} // namespace lathe::gpu

#endif
