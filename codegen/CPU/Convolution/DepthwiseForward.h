// lathe.conv with one filter per channel, line by line.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_DEPTHWISEFORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_DEPTHWISEFORWARD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// A tile: adjacent outputs of a line whose sums are in registers together. It repeats `repeats` times along the line. Each
/// repetition reads its inputs `shift` positions after those of the previous one.
struct LineTile {
  /// One multiply-add: the tap times the input at `place` of the line. Steps are ordered so that each input is loaded once, or
  /// each tap is, and that the taps of each pixel ascend.
  struct Step {
    int64_t place, pixel, tap;
    bool operator==(const Step &other) const { return place == other.place && pixel == other.pixel && tap == other.tap; }
  };
  int64_t first, pixels, repeats, shift;
  llvm::SmallVector<Step> steps;
};

/// The schedule of a line.
struct DepthwiseSchedule {
  TileShape tile; // its rows are pixels
  bool sharesInputs = false;
  int64_t pixelsAtOnce = 1; // outputs of a line whose sums are on the stack together; 0 if those of a tile stay in registers

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("shares_inputs", sharesInputs);
    visitor("pixels_at_once", pixelsAtOnce, 0, 1 << 20);
  }
};

/// Work items are blocks of channels x lines of outputs. With known extents, the inputs of each pixel of a line are known at
/// compile time, and no code tests for borders along the line. With named extents they are known only for tiles whose outputs
/// have all taps; the other pixels are computed one by one.
struct DepthwisePlan {
  DepthwiseSchedule schedule;
  int64_t blocks, rows;             // of channels; of the filter
  int64_t rowsOfChain;              // rows of the filter per chain of a sum
  llvm::SmallVector<LineTile> line; // all tiles; with named extents a long and a short one for any position

  /// Returns nullopt if a line has too many different tiles or its code would be too long.
  static std::optional<DepthwisePlan> make(const ConvolutionShape &shape, const DepthwiseSchedule &schedule);
};

/// Chooses the tiles of a line, given the operations of the epilogue; nullopt if no tile can hold outputs that have the same
/// taps.
std::optional<DepthwiseSchedule> chooseDepthwise(const ConvolutionShape &shape, const VectorTarget &target,
                                                 unsigned elementBytes, int64_t operations);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkDepthwise(KernelOp kernel, const ConvolutionShape &shape, const DepthwiseSchedule &schedule,
                                   const VectorTarget &target, unsigned elementBytes);

void emitDepthwiseForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan);

} // namespace lathe::cpu

#endif
