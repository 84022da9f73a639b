// The products and convolutions that warp groups compute from TMA boxes.
#ifndef LATHE_CODEGEN_GPU_HOPPER_GROUPPRODUCT_H
#define LATHE_CODEGEN_GPU_HOPPER_GROUPPRODUCT_H

#include "codegen/GPU/Contraction/Schedule.h"
#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

inline constexpr unsigned kConsumers = 2; // consumer warp groups, 64 rows each
inline constexpr unsigned kGroupThreads = 128;
// Sums pass through shared memory in parts of a warp's sixteen rows and these columns.
inline constexpr unsigned kPartColumns = 32, kWarpRows = 16;
inline constexpr unsigned kConverted = 3; // buffers for converted k-slices
inline constexpr unsigned kBarrierBytes = 8;

/// A product that is large enough for warp groups, and whose operands TMA can copy.
struct GroupProduct {
  Product product;
  KernelLoops loops; // loops of the spans and of `batch`: the kernel's, or those with residues
  llvm::SmallVector<unsigned> batch;
  Side left, right;          // a warp group multiplies 64 rows of left by all columns of right in a tile
  bool isTransposed = false; // left is the product's rhs
  bool isImage = false;      // spans have one loop each, and tiles and k-slices are boxes of them
  /// The conversion of f32 operands: wgmma truncates them to TF32 and needs the depth inside. Left is rounded in registers,
  /// which it passes through in either order. Right is rounded and transposed in shared memory. With `isSplit` each becomes two
  /// TF32 parts, of which three products are computed.
  bool isLeftInRegisters = false, isRightConverted = false, isSplit = false;

  /// Returns the spans of rows of which a tile has a box, for an image, else none.
  llvm::ArrayRef<Span> boxedRows() const {
    return isImage ? llvm::ArrayRef<Span>((isTransposed ? right : left).own) : llvm::ArrayRef<Span>();
  }

  /// Returns the product with its operands as matrices, before its tiles have a size. Returns nullopt if it is too small, if
  /// TMA cannot copy its operands, or for any other architecture.
  static std::optional<GroupProduct> of(KernelOp kernel, const TiledProduct &tiled, const Target &target);

  /// Return the bytes of a stage, of a converted k-slice, and of the buffers through which the warps' sums pass.
  unsigned stageBytes() const { return left.bytes() + right.bytes(); }
  unsigned convertedBytes() const { return isRightConverted ? (isSplit ? 2 : 1) * right.bytes() : 0; }
  unsigned resultBytes() const;
  /// Returns how many stages fit a block's shared memory.
  unsigned fittingStages(const Target &target) const;
};

} // namespace lathe::gpu

#endif
