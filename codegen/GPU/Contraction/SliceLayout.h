// The layout of an operand's k-slice in shared memory.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_SLICELAYOUT_H
#define LATHE_CODEGEN_GPU_CONTRACTION_SLICELAYOUT_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// A k-slice is stored in lines of elements that are contiguous in memory: along the depth, or along the operand's own
/// dimension (rows of lhs, columns of rhs). Granules within a line are swizzled by the line's number, so that a warp's accesses
/// have no bank conflicts.
class SliceLayout {
public:
  /// Layout of `own` times `depth` elements, both powers of two.
  SliceLayout(mlir::Type element, unsigned own, unsigned depth, bool hasDepthInside);
  /// Returns the layout of a TMA box of `lines` lines of 128 bytes with a 128-byte swizzle.
  static SliceLayout ofBox(mlir::Type element, unsigned lines, bool hasDepthInside);

  bool hasDepthInside;
  unsigned elementBytes;
  unsigned inner, lines; // elements of a line; number of lines

  unsigned bytes() const { return inner * lines * elementBytes; }
  /// Returns the address of the element (own + ownMore, depth + depthMore) of the k-slice at `slice`. What differs by lane is
  /// computed from `own` and `depth` (i32) and little of the rest, so that addresses share that computation.
  mlir::Value at(ThreadFrame &frame, mlir::Value slice, mlir::Value own, unsigned ownMore, mlir::Value depth,
                 unsigned depthMore) const;

private:
  SliceLayout(unsigned elementBytes, unsigned inner, unsigned lines, bool hasDepthInside, unsigned granule);

  unsigned granule;    // bytes that the swizzle keeps together
  unsigned linesAlike; // consecutive lines with the same swizzle: those of one row of banks
  unsigned orders;     // number of different swizzles
};

} // namespace lathe::gpu

#endif
