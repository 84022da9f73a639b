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

/// Work in pieces: panels of channels x lines of outputs. What each pixel of a line meets is known while compiling: no code
/// tests for borders in its direction. Of lines of named extents it is known for tiles that meet inputs through all their taps;
/// the pixels around these are done one by one.
struct DepthwisePlan {
  TileShape tile; // its rows are pixels
  bool sharesInputs;
  int64_t pixelsAtOnce;             // of a line, whose sums are on the stack together
  int64_t panels, rows;             // rows of the filter
  int64_t rowsOfChain;              // rows of the filter that a chain of a sum has
  llvm::SmallVector<LineTile> line; // all tiles; of named extents a long and a short one, which may be anywhere

  /// Nullopt where too many tiles of a line differ, or its code would be long.
  static std::optional<DepthwisePlan> make(const ConvolutionShape &shape, const VectorTarget &target, unsigned elementBytes);
};

void emitDepthwiseForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwisePlan &plan);

} // namespace lathe::cpu

#endif
