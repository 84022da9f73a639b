// Panels: the order in which the constant right operand of a product, or a constant filter, is stored.
#ifndef LATHE_CODEGEN_SCHEDULES_PANELS_H
#define LATHE_CODEGEN_SCHEDULES_PANELS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/Support/MathExtras.h"

namespace lathe {

/// On a kernel: for each operand, the columns of a panel if the kernel reads the operand's constant in panels, or 0
/// (DenseI64ArrayAttr). The graph's constant stays in row-major order; the emitter of objects stores it in panels. Absent if no
/// operand is in panels.
inline constexpr llvm::StringLiteral kPanelsAttr = "lathe.panels";

/// Panels of i8, as instructions that multiply groups of adjacent products read them: for each group of four rows, the four
/// bytes of each column. The sums of the columns follow, as i32. Missing rows and columns are zeros. The end is a table of i16
/// that has each group once: the end of each section, then the sections. An entry is the number of a group, or of the first
/// group of a block.
struct BytePanel {
  static constexpr int64_t kColumns = 16, kGroup = 4, kBlock = 4; // a block has four groups
  static constexpr int64_t kGroupBytes = kColumns * kGroup;

  /// The sections of the table, by what fits in i16: sums of products with u8, of two rows or of two rows of two adjacent
  /// groups.
  enum Section { MergingBlocks, FittingBlocks, FittingGroups, OtherBlocks, OtherGroups, kSections };

  int64_t depth;

  int64_t groups() const { return llvm::divideCeil(depth, kGroup); }
  /// Offset of the sums.
  int64_t sumsOffset() const { return groups() * kGroupBytes; }
  /// Offset of the table of groups.
  int64_t tableOffset() const { return sumsOffset() + kColumns * int64_t(sizeof(int32_t)); }
  int64_t bytes() const {
    return llvm::alignTo(tableOffset() + (kSections + groups()) * int64_t(sizeof(int16_t)), kGroupBytes);
  }

  /// Writes `columns` columns of rows that are `pitch` bytes apart to a panel of zeros.
  void pack(const char *from, int64_t pitch, int64_t columns, char *to) const;

private:
  void writeTable(char *to) const;
};

/// Matrices [depth, columns] whose columns are cut into panels of `width`. A panel is stored row by row, without gaps. The last
/// one has the remaining columns, rounded up to a multiple of kPanelPadding and filled with zeros, but at most `width`.
struct PanelLayout {
  int64_t matrices, depth, columns, width, elementBytes;
  bool ofBytes = false; // each panel is a BytePanel
  /// A row of a panel has two rows of the matrix: the two elements of each column side by side. A missing second row, and the
  /// missing columns of the last panel, which is as wide as the others, are zeros.
  bool ofPairs = false;
  bool isEven = false; // the last panel is as wide as the others

  /// The most lanes of a vector of factors: a kernel may load whole vectors from the last panel.
  static constexpr int64_t kPanelPadding = 16;

  /// Returns the layout of a tensor [..., depth, columns] of at least two dimensions.
  static PanelLayout of(mlir::RankedTensorType type, int64_t width);
  /// Returns the layout of a filter [taps..., channels, columns]: one matrix, whose rows are all channels of all taps.
  static PanelLayout ofFilter(mlir::RankedTensorType type, int64_t width);

  /// Returns the distance of rows in the last panel; in all others it is `width`.
  int64_t lastPitch() const;
  /// Returns the elements of one matrix with its padding.
  int64_t matrixSize() const;
  int64_t bytes() const { return matrices * matrixSize() * elementBytes; }
  /// Writes a row-major tensor in panels, with zeros as padding: a part that fits in a cache at a time. Returns false if
  /// `write` does.
  bool write(llvm::ArrayRef<char> rowMajor, llvm::function_ref<bool(llvm::StringRef bytes)> write) const;

  auto operator<=>(const PanelLayout &) const = default;

private:
  int64_t panelBytes(int64_t first) const;
  void packPanel(const char *from, int64_t first, char *to) const;
};

/// An operand of a kernel that could be in panels, if it is a constant.
struct PanelChoice {
  unsigned operand;
  int64_t width;
};

/// Returns the width of the panels of a kernel's operand; 0 if it is in row-major order.
int64_t panelWidthOf(KernelOp kernel, unsigned operand);
/// Returns the layout of a kernel's operand in panels of `width`: that of a filter if a convolution of the kernel reads it as
/// its filter, byte panels if the kernel multiplies bytes by it, and panels of pairs if it multiplies bf16 in pairs by it.
PanelLayout panelLayoutOf(KernelOp kernel, unsigned operand, int64_t width);

/// Returns the constant that a value is: itself, a view of one, or a constant that branches and loops pass into their regions.
/// Null for any other value.
ConstantOp constantOf(mlir::Value value);

} // namespace lathe

#endif
