// Which products and convolutions go by copies of boxes and products of warp groups, and how.
#ifndef LATHE_CODEGEN_GPU_HOPPER_GROUPPRODUCT_H
#define LATHE_CODEGEN_GPU_HOPPER_GROUPPRODUCT_H

#include "codegen/GPU/Contraction/Schedule.h"
#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

inline constexpr unsigned kConsumers = 2; // warp groups that multiply, 64 rows each
inline constexpr unsigned kGroupThreads = 128;
// Sums pass through shared memory in parts of a warp's sixteen rows and these columns.
inline constexpr unsigned kPartColumns = 32, kWarpRows = 16;
inline constexpr unsigned kConverted = 3; // buffers for slices that are written once more
inline constexpr unsigned kBarrierBytes = 8;

/// A product that is worth it, and whose operands can be copied by boxes.
struct GroupProduct {
  Product product;
  KernelLoops loops; // that the spans are of, and `batch`: the kernel's, or those with residues
  llvm::SmallVector<unsigned> batch;
  Side left, right;          // a group takes 64 rows of left, and multiplies them with all of right's part of a tile
  bool isTransposed = false; // left is the product's rhs
  bool isImage = false;      // rows, columns and the depth are spans of one dimension each, tiles and slices boxes of them
  /// How f32 come, of which tensor cores see the first 11 bits of words whose depth lies inside: left through registers, where
  /// it is rounded and may lie either way; right written once more, rounded and turned; each as two parts of tf32, of which
  /// three products are made. Else as they are.
  bool isLeftInRegisters = false, isRightConverted = false, isSplit = false;

  /// Of an image the spans of rows, of which a tile has a box rather than neighbours.
  llvm::ArrayRef<Span> boxedRows() const {
    return isImage ? llvm::ArrayRef<Span>((isTransposed ? right : left).own) : llvm::ArrayRef<Span>();
  }

  /// The product with its operands as matrices, no tile of which has a size yet; nullopt if it is not worth warp groups, if
  /// boxes cannot be copied of it, and on any other architecture.
  static std::optional<GroupProduct> of(KernelOp kernel, const TiledProduct &tiled, const Target &target);

  /// Bytes of a stage, of a slice that is written once more, and of the memory through which the warps' sums pass.
  unsigned stageBytes() const { return left.bytes() + right.bytes(); }
  unsigned convertedBytes() const { return isRightConverted ? (isSplit ? 2 : 1) * right.bytes() : 0; }
  unsigned resultBytes() const;
  /// Returns how many stages fit a block's shared memory.
  unsigned fittingStages() const;
};

} // namespace lathe::gpu

#endif
