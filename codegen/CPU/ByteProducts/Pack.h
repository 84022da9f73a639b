// Copies the operands of a product of bytes into the order in which tiles read them.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_PACK_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_PACK_H

#include "codegen/CPU/ByteProducts/ByteProducts.h"
#include "codegen/CPU/ByteProducts/Shape.h"
#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// The rows of lhs as tiles read them: i16, or bytes of the signedness that the target's instructions expect. Bytes of the
/// other signedness are moved by 128, and so is their zero point. The method `mixed` reads bytes, and i16 where these do not
/// do.
class PackedRows {
public:
  PackedRows(const ByteProductShape &shape, ByteMethod method, const VectorTarget &target);

  bool areBytes() const { return element.getIntOrFloatBitWidth() == 8; }
  /// Returns the bytes between rows that are packed as bytes or as i16. Rows at a large power of two would share few sets of
  /// the cache.
  int64_t bytePitch() const { return pitchOf(1); }
  int64_t wordPitch() const { return pitchOf(2); }
  int64_t pitch() const { return areBytes() ? bytePitch() : wordPitch(); }
  /// True if the packed rows have another zero point than 0.
  bool hasZero() const { return shape.lhs.zero || moves; }
  /// Returns that zero point, given the one of lhs, which is null for 0.
  mlir::Value packedZero(KernelFrame &frame, mlir::Value zero) const;

  /// Packs `count` rows from `first` on. `lhs` is the current matrix, or the images. Bytes beyond an image's borders are the
  /// zero point.
  void pack(KernelFrame &frame, mlir::Value lhs, mlir::Value zero, mlir::Value first, mlir::Value count, mlir::Value to) const;
  /// Widens `count` rows of packed bytes to i16.
  void widen(KernelFrame &frame, mlir::Value bytes, mlir::Value count, mlir::Value to) const;

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

  int64_t pitchOf(int64_t elementBytes) const;
  int64_t piece(const CodeFrame &frame) const { return frame.target.vectorBytes / (areBytes() ? 1 : 2); }

  const ByteProductShape &shape;
  bool moves;
  mlir::Type element; // of packed rows
};

/// Packs columns of rhs, which is in row-major order, from `first` on into byte panels: `panels` of them, or as many as there
/// are columns left.
void packColumns(KernelFrame &frame, const ByteProductShape &shape, mlir::Value rhs, mlir::Value first, int64_t panels,
                 mlir::Value to);

} // namespace lathe::cpu

#endif
