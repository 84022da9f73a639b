// Matrix products and convolutions of halves, and of f32 as tf32, on sm_90a: copies of boxes, products of warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_HOPPER_H
#define LATHE_CODEGEN_GPU_HOPPER_HOPPER_H

#include "codegen/GPU/Forms.h"
#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

/// A product that is worth it, and whose operands can be copied by boxes.
struct GroupProduct {
  Product product;
  Side left, right;      // a group takes 64 rows of left, and multiplies them with all of right's part of a tile
  bool isTurned = false; // left is the product's rhs
  bool isImage = false;  // rows, columns and the depth are spans of one dimension each, tiles and pieces boxes of them
  /// How f32 come, of which tensor cores see the first 11 bits of words whose depth lies inside: left through registers, where
  /// it is rounded and may lie either way; right written once more, rounded and turned; each as two parts of tf32, of which
  /// three products are made. Else as they are.
  bool isLeftInRegisters = false, isRightConverted = false, isSplit = false;

  /// The spans of rows that are a box rather than neighbours.
  llvm::ArrayRef<Span> boxedRows() const {
    llvm::ArrayRef<Span> rows = (isTurned ? right : left).own;
    return rows.size() > 1 ? rows : llvm::ArrayRef<Span>();
  }

  /// Nullopt for any other product, and on any other architecture.
  static std::optional<GroupProduct> of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                        const Target &target);
};

/// Blocks of three warp groups go from tile to tile. One thread of the first copies pieces of both operands to a ring of stages
/// in shared memory, the other two multiply them, 64 rows each, and finish the tile while the pieces of the next one come. Two
/// barriers a stage say that its piece is there, and that both groups have read it. What is written once more has rooms
/// of its own: one is written while others are multiplied. Every sum adds up in the order of the depth, in steps of one
/// instruction, whatever the tile; of f32 in two parts in steps of a piece.
KernelCode emitGroupProduct(KernelOp kernel, KernelLoops loops, const GroupProduct &product, const FunctionPlace &place);

} // namespace lathe::gpu

#endif
