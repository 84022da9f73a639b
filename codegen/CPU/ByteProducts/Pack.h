// Copies the operands of a product of bytes into the order in which tiles read them.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_PACK_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_PACK_H

#include "codegen/CPU/ByteProducts/Shape.h"
#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// The rows of lhs as tiles read them: i16, or bytes of the signedness that the target's dot instructions expect. Bytes of the
/// other signedness are moved by 128, and so is their zero point.
class PackedRows {
public:
  PackedRows(const ByteProductShape &shape, bool dots, const VectorTarget &target);

  /// Returns the bytes between packed rows. Rows at a large power of two would share few sets of the cache.
  int64_t pitch() const;
  /// True if the packed rows have another zero point than 0.
  bool hasZero() const { return shape.lhs.zero || moves; }
  /// Returns that zero point, given the one of lhs, which is null for 0.
  mlir::Value packedZero(KernelFrame &frame, mlir::Value zero) const;

  /// Packs `count` rows from `first` on. `lhs` is the current matrix, or the images. Bytes beyond an image's borders are the
  /// zero point.
  void pack(KernelFrame &frame, mlir::Value lhs, mlir::Value zero, mlir::Value first, mlir::Value count, mlir::Value to) const;

private:
  /// A row of a convolution: the images' bytes, and where the output's first tap lies along each dimension.
  struct Window {
    mlir::Value lhs, filling;
    llvm::SmallVector<mlir::Value> places;
  };
  mlir::Value fillingOf(KernelFrame &frame, mlir::Value zero) const;
  void packWindow(KernelFrame &frame, const Window &window, mlir::Value row, mlir::Value to) const;
  void packTaps(KernelFrame &frame, const Window &window, unsigned dim, mlir::Value place, mlir::Value inside,
                mlir::Value to) const;
  void packLine(KernelFrame &frame, const Window &window, mlir::Value place, mlir::Value inside, mlir::Value to) const;
  void copy(CodeFrame &frame, mlir::Value from, mlir::Value to, int64_t count) const;
  void fill(CodeFrame &frame, mlir::Value filling, mlir::Value to, int64_t count) const;

  const ByteProductShape &shape;
  bool dots, moves;
  mlir::Type element; // of packed rows
};

/// Packs columns of rhs, which is in row-major order, from `first` on into byte panels: `panels` of them, or as many as there
/// are columns left.
void packColumns(KernelFrame &frame, const ByteProductShape &shape, mlir::Value rhs, mlir::Value first, int64_t panels,
                 mlir::Value to);

} // namespace lathe::cpu

#endif
