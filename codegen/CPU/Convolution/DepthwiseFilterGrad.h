// lathe.conv_filter_grad with one filter per channel.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_DEPTHWISEFILTERGRAD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_DEPTHWISEFILTERGRAD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The schedule for the sums of one row of the filter.
struct DepthwiseFilterGradSchedule {
  TileShape tile;           // one row: vectors of channels
  int64_t tapsAtOnce = 1;   // taps of a filter row that are summed together
  int64_t pixelsAtOnce = 1; // adjacent pixels that share loads; 1 if there are too few registers

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("taps_at_once", tapsAtOnce, 1, 1 << 10);
    visitor("pixels_at_once", pixelsAtOnce, 1, 16);
  }
};

/// Work items are blocks of channels x rows of the filter. The sums of a row, or of part of it, stay in registers during the
/// loop over lines of pixels.
struct DepthwiseFilterGradPlan {
  DepthwiseFilterGradSchedule schedule;
  int64_t rows;   // of the filter
  int64_t blocks; // of channels

  int64_t pieces() const { return blocks * rows; }

  /// Returns nullopt if the sums would take too much of the stack.
  static std::optional<DepthwiseFilterGradPlan> make(const ConvolutionShape &shape, const DepthwiseFilterGradSchedule &schedule,
                                                     unsigned elementBytes);
};

DepthwiseFilterGradSchedule chooseDepthwiseFilterGrad(const ConvolutionShape &shape, const VectorTarget &target,
                                                      unsigned elementBytes);

mlir::LogicalResult checkDepthwiseFilterGrad(KernelOp kernel, const ConvolutionShape &shape,
                                             const DepthwiseFilterGradSchedule &schedule, const VectorTarget &target,
                                             unsigned elementBytes);

void emitDepthwiseFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                             const DepthwiseFilterGradPlan &plan);

} // namespace lathe::cpu

#endif
