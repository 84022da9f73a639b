// The sum of one chain of a filter's gradient.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_GRADIENTCHAIN_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_GRADIENTCHAIN_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tiles/Steps.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The code that adds a chain of output positions to the sums of some taps. Sizes and distances are arguments of the function,
/// so that a few functions serve all convolutions of a graph.
struct GradientChain {
  TileShape tile; // its rows are input channels; `vectors` of the region
  mlir::Type element;
  int64_t lastLanes;  // of the last vector of output channels
  bool isPacked;      // the operands are copies, whose lanes behind the last column are zeros
  bool hasShortRows;  // lines of outputs are whole in each chain
  ProductSteps steps; // of a line
  llvm::ArrayRef<ConvolutionDim> dims;

  /// The extents of a spatial dimension.
  struct Extents {
    mlir::Value inputs, outputs;
  };
  /// Output positions: lines, counted over all images, and the range of positions within each line.
  struct Places {
    mlir::Value firstLine, endLine, low, high;
  };
  /// The values of a call: addresses of the first image's inputs and cotangents, of the sums of the first tap and of the words
  /// that FilterGradPlan lists for all taps; the range of taps; and the elements from one position to the next.
  struct Call {
    mlir::Value x, y, sums, words, isFirst, firstTap, lastTap;
    Places places;
    mlir::Value inputPitch, outputPitch;
    llvm::SmallVector<Extents> extents = {};
  };
  /// Calls the function of the kernel's module for this chain; kernels with equal tiles and steps share it.
  void call(KernelFrame &frame, const Chains &chains, const Call &values) const;

private:
  std::string name(const Chains &chains) const;
  template <typename Visitor>
  void forEach(Call &call, mlir::OpBuilder &b, Visitor visit) const;
  /// The outputs of a dimension that read inputs through a tap: the first one, and their number.
  struct Meeting {
    mlir::Value first, count;
  };
  void emit(CodeFrame &frame, const Chains &chains, const Call &call) const;
  CodeFrame::Carry addTap(CodeFrame &frame, const Call &call, mlir::Value tap) const;
  CodeFrame::Carry overOutputs(CodeFrame &frame, const Call &call, llvm::ArrayRef<Meeting> meetings, size_t d,
                               const Places &places, mlir::Value x, mlir::Value y, mlir::ValueRange totals) const;
  CodeFrame::Carry step(CodeFrame &frame, mlir::Value x, mlir::Value y, mlir::ValueRange totals) const;
};

} // namespace lathe::cpu

#endif
