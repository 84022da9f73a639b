// The forms of Winograd's filtering share this: the tiles of products of points, rough times for cost models, and checks.
#ifndef LATHE_CODEGEN_CPU_WINOGRAD_PRODUCTS_H
#define LATHE_CODEGEN_CPU_WINOGRAD_PRODUCTS_H

#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Tile.h"
#include "lib/Analysis/Winograd.h"

namespace lathe::cpu {

/// Elements between the points of an array beyond what they need: a cache line, so that the vectors of a square do not crowd
/// few sets of the first-level cache.
inline constexpr int64_t kWinogradPadding = VectorTarget::kCacheLineBytes / sizeof(float);

/// Returns the tile whose columns divide the filters, and whose lanes divide the channels, which the transforms read.
TileShape chooseProductTile(const VectorTarget &target, int64_t channels, int64_t filters);

/// Returns the rough cycles that the tiles of `rows` rows take for one product of each sum.
double cyclesOfRows(const TileShape &tile, int64_t rows, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a tile and blocks of channels and filters that the emitters cannot follow.
mlir::LogicalResult checkWinogradBlocks(KernelOp kernel, const TileShape &tile, int64_t channels, int64_t filters,
                                        const WinogradShape &shape, const VectorTarget &target);

/// Emits the function of a kernel around an op that has a winogradShapeOf. The emitter's `items` are the work items.
template <typename Emitter, typename Schedule>
mlir::FailureOr<KernelCode> emitWinograd(KernelOp kernel, mlir::Operation *hero, const Schedule &schedule,
                                         const FunctionPlace &at) {
  mlir::FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return mlir::failure();
  WinogradShape shape = *winogradShapeOf(hero);
  KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
  Emitter emitter(frame, hero, shape, schedule);
  KernelCode code;
  code.function = at.function;
  code.symbols = frame.loops.symbols;
  code.extent = emitter.items();
  code.work = shape.output[0] * shape.output[1] * shape.output[2] * Dim(shape.channels() * shape.filters());
  code.threadWork = tuning::kThreadProducts;
  emitter.emit();
  frame.close();
  return code;
}

} // namespace lathe::cpu

#endif
