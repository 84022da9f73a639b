// How a slice of an operand lies in shared memory.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_SLICELAYOUT_H
#define LATHE_CODEGEN_GPU_CONTRACTION_SLICELAYOUT_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// Lines of elements, along the depth or along the operand's own dimension (rows of lhs, columns of rhs), as it lies in memory.
/// Within a line granules change places by the line's number, so that what a warp reads or writes at once is in different
/// banks.
class SliceLayout {
public:
  /// `own` times `depth` elements, both powers of two.
  SliceLayout(mlir::Type element, unsigned own, unsigned depth, bool hasDepthInside);
  /// One that a box of a tensor map comes as, with so many lines of 128 bytes, swizzled.
  static SliceLayout ofBox(mlir::Type element, unsigned lines, bool hasDepthInside);

  bool hasDepthInside;
  unsigned elementBytes;
  unsigned inner, lines; // elements of a line; how many there are

  unsigned bytes() const { return inner * lines * elementBytes; }
  /// The address of the element (own + ownMore, depth + depthMore) of the slice at `slice`: what differs by lane is computed
  /// from `own` and `depth` (i32) and little of the rest, so that addresses share it.
  mlir::Value at(ThreadFrame &frame, mlir::Value slice, mlir::Value own, unsigned ownMore, mlir::Value depth,
                 unsigned depthMore) const;

private:
  SliceLayout(unsigned elementBytes, unsigned inner, unsigned lines, bool hasDepthInside, unsigned granule);

  unsigned granule;    // bytes that stay together
  unsigned linesAlike; // neighbouring lines whose granules are in the same order: those of one row of banks
  unsigned orders;     // different ones
};

} // namespace lathe::gpu

#endif
