// lathe.conv_filter_grad.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FILTERGRAD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FILTERGRAD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// How a filter gradient's sums are made.
struct FilterGradSchedule {
  TileShape tile; // its rows are the channels of a strip

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
  }
};

/// Work of a filter gradient in pieces: groups x strips of input channels x panels of output channels x taps.
struct FilterGradPlan {
  TileShape tile;
  /// For every dimension and tap: the first output that may have an input, its input, and 1; or zeros where there is none.
  std::vector<int32_t> words;
  llvm::SmallVector<int64_t> taps; // where a dimension's words begin
  int64_t groupPieces;

  /// Nullopt where sums would take too much of the stack.
  static std::optional<FilterGradPlan> make(const ConvolutionShape &shape, const FilterGradSchedule &schedule,
                                            unsigned elementBytes);
};

FilterGradSchedule chooseFilterGrad(const ConvolutionShape &shape, const VectorTarget &target, unsigned elementBytes);

mlir::LogicalResult checkFilterGrad(KernelOp kernel, const ConvolutionShape &shape, const FilterGradSchedule &schedule,
                                    const VectorTarget &target, unsigned elementBytes);

void emitFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape, const FilterGradPlan &plan,
                    WordTable words);

} // namespace lathe::cpu

#endif
