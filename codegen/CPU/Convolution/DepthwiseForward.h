// lathe.conv where each channel has a filter of its own, line by line.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_DEPTHWISEFORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_DEPTHWISEFORWARD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// Neighbouring outputs of a line whose sums are in registers together, and as many such tiles behind it, each of which reads
/// `shift` places behind the one before.
struct LineTile {
  /// What a row of the filter adds: the tap times the input at a place of the line. In such an order that inputs are read once,
  /// or taps are, and that each pixel's taps ascend.
  struct Step {
    int64_t place, pixel, tap;
    bool operator==(const Step &other) const { return place == other.place && pixel == other.pixel && tap == other.tap; }
  };
  int64_t first, pixels, repeats, shift;
  llvm::SmallVector<Step> steps;
};

/// How lines are done.
struct DepthwiseSchedule {
  TileShape tile; // its rows are pixels
  bool sharesInputs = false;
  int64_t pixelsAtOnce = 1; // of a line, whose sums are on the stack together

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("shares_inputs", sharesInputs);
    visitor("pixels_at_once", pixelsAtOnce, 1, 1 << 20);
  }
};

/// Work in pieces: panels of channels x lines of outputs. What each pixel of a line meets is known while compiling: no code
/// tests for borders in its direction. Of lines of named extents it is known for tiles that meet inputs through all their taps;
/// the pixels around these are done one by one.
struct DepthwisePlan {
  DepthwiseSchedule schedule;
  int64_t panels, rows;             // rows of the filter
  int64_t rowsOfChain;              // rows of the filter that a chain of a sum has
  llvm::SmallVector<LineTile> line; // all tiles; of named extents a long and a short one, which may be anywhere

  /// Nullopt where too many tiles of a line differ, or its code would be long.
  static std::optional<DepthwisePlan> make(const ConvolutionShape &shape, const DepthwiseSchedule &schedule);
};

/// Chooses the tiles of a line; nullopt where no tile is wide enough.
std::optional<DepthwiseSchedule> chooseDepthwise(const ConvolutionShape &shape, const VectorTarget &target,
                                                 unsigned elementBytes);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot obey. Those of the other forms are alike.
mlir::LogicalResult checkDepthwise(KernelOp kernel, const ConvolutionShape &shape, const DepthwiseSchedule &schedule,
                                   const VectorTarget &target, unsigned elementBytes);

void emitDepthwiseForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan);

} // namespace lathe::cpu

#endif
