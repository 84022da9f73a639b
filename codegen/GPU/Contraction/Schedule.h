// The schedule of a matrix product on tensor cores.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_SCHEDULE_H
#define LATHE_CODEGEN_GPU_CONTRACTION_SCHEDULE_H

#include "codegen/GPU/Contraction/Tile.h"

namespace lathe::gpu {

struct TensorCoresSchedule {
  Tile tile;
  int64_t stages = 3; // k-slices of the ring in shared memory
  int64_t parts = 1;  // parts of the depth, for different blocks (split-K)

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("rows", tile.rows, 8, 256);
    visitor("columns", tile.columns, 8, 256);
    visitor("depth", tile.depth, 4, 128);
    visitor("warps_down", tile.warpsDown, 1, 16);
    visitor("warps_across", tile.warpsAcross, 1, 16);
    visitor("stages", stages, 2, 8);
    visitor("parts", parts, 1, 32);
  }
};

/// A product that is large enough for tiles, with the kernel's loops.
struct TiledProduct {
  KernelLoops loops;
  Product product;

  /// Returns nullopt if the kernel is not a product, or is so small that one thread per point is as fast.
  static std::optional<TiledProduct> of(KernelOp kernel);
};

TensorCoresSchedule chooseTensorCores(const TiledProduct &tiled, const Target &target);

/// Refuses, with a diagnostic, a schedule that the emitter cannot obey or that would change the order of a sum.
mlir::LogicalResult checkTensorCores(KernelOp kernel, const TiledProduct &tiled, const TensorCoresSchedule &schedule,
                                     const Target &target);

} // namespace lathe::gpu

#endif
