// How blocks of sm_90a share a product by warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_SCHEDULE_H
#define LATHE_CODEGEN_GPU_HOPPER_SCHEDULE_H

#include "codegen/GPU/Hopper/GroupProduct.h"

namespace lathe::gpu {

struct WarpGroupsSchedule {
  int64_t columns = 128; // of a tile's right operand; the left one has 64 for each group that multiplies
  /// What a tile of each operand, and a slice of the depth, have of each span: a box of an image, else one number.
  llvm::SmallVector<int64_t> leftBox, rightBox, depthBox;
  int64_t stages = 4; // of the ring in shared memory
  int64_t parts = 1;  // of the depth, for different blocks (split-K)
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

/// Chooses tile and boxes; nullopt where none can be cut, or where those of an image are used so little that the form with
/// slower instructions is faster. Sets them in `form` too.
std::optional<WarpGroupsSchedule> chooseWarpGroups(GroupProduct &form, const TiledProduct &tiled, const Target &target);

/// Sets the tile and boxes of a schedule, if they are numbers of spans that the operands have.
bool applyBoxes(GroupProduct &form, const WarpGroupsSchedule &schedule);

/// Refuses, with a diagnostic, a schedule that the emitter cannot obey or that would change the order of a sum.
mlir::LogicalResult checkWarpGroups(KernelOp kernel, const TiledProduct &tiled, const WarpGroupsSchedule &schedule,
                                    const Target &target);

} // namespace lathe::gpu

#endif
