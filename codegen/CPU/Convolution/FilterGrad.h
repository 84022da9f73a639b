// lathe.conv_filter_grad.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FILTERGRAD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FILTERGRAD_H

#include "codegen/CPU/Convolution/PackedChain.h"
#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The schedule for the sums of a filter gradient.
struct FilterGradSchedule {
  TileShape tile;     // its rows are the channels of a strip
  bool packs = false; // copies what a chain reads, so that its taps read it from the first-level cache

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("packs", packs);
  }
};

/// Work items of a filter gradient are groups x strips of input channels x blocks of output channels x taps.
struct FilterGradPlan {
  TileShape tile;
  std::optional<PackedChain> packed; // if chains are copied
  /// For each dimension and tap: the first output that may have an input, its input, and 1; zeros if no output has one.
  std::vector<int32_t> words;
  int64_t groupPieces;

  /// Returns nullopt if the sums would take too much of the stack.
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
