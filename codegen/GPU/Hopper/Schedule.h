// The schedule of a product of warp groups on sm_90a.
#ifndef LATHE_CODEGEN_GPU_HOPPER_SCHEDULE_H
#define LATHE_CODEGEN_GPU_HOPPER_SCHEDULE_H

#include "codegen/GPU/Hopper/GroupProduct.h"

namespace lathe::gpu {

struct WarpGroupsSchedule {
  int64_t columns = 128; // columns of a tile's right operand; left has 64 rows per consumer group
  /// The boxes of a tile of each operand, and of a k-slice, by spans. Only an image has several spans.
  llvm::SmallVector<int64_t> leftBox, rightBox, depthBox;
  int64_t stages = 4; // k-slices of the ring in shared memory
  int64_t parts = 1;  // parts of the depth, for different blocks (split-K)
  /// The tile by which the host counts blocks, as it does for architectures without warp groups.
  int64_t gridRows = 64, gridColumns = 64;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("columns", columns, 64, 256);
    visitor("left_box", leftBox, 1, 256);
    visitor("right_box", rightBox, 1, 256);
    visitor("depth_box", depthBox, 1, 256);
    visitor("stages", stages, 2, 8);
    visitor("parts", parts, 1, 32);
    visitor("grid_rows", gridRows, 8, 256);
    visitor("grid_columns", gridColumns, 8, 256);
  }

  /// Returns the tile by which blocks are counted.
  Tile grid() const;
};

/// Chooses the tile and its boxes, and sets them in `form`. Returns nullopt if there are no boxes, or if so little of an
/// image's boxes is used that the mma.sync form is faster.
std::optional<WarpGroupsSchedule> chooseWarpGroups(GroupProduct &form, const TiledProduct &tiled, const Target &target);

/// Sets the tile and boxes of a schedule. Returns false if they do not fit the operands' spans, or if TMA cannot copy them.
bool applyBoxes(GroupProduct &form, const WarpGroupsSchedule &schedule);

/// Refuses, with a diagnostic, a schedule that the emitter cannot obey or that would change the order of a sum.
mlir::LogicalResult checkWarpGroups(KernelOp kernel, const TiledProduct &tiled, const WarpGroupsSchedule &schedule,
                                    const Target &target);

} // namespace lathe::gpu

#endif
