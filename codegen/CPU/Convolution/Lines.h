// Lines of pixels: what emitters of convolutions line by line share.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_LINES_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_LINES_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

inline constexpr int64_t kMostLineVectors = 4;        // of channels that a tile has
inline constexpr int64_t kMostLineMeetings = 1 << 22; // of outputs and taps of a line, which are gone through while compiling

/// The spatial extents as values, and which line of an image's inputs a line of its outputs meets through a row of the filter.
class ConvolutionLines {
public:
  ConvolutionLines(CodeFrame &frame, const ConvolutionShape &shape);

  const llvm::SmallVector<mlir::Value> &input() const { return inputs; }
  const llvm::SmallVector<mlir::Value> &output() const { return outputs; }
  /// The places of an image, or of what it has for one place in the dimensions before `first`; lines of it.
  mlir::Value inputPlaces(size_t first = 0) { return product(inputs, first, inputs.size()); }
  mlir::Value outputPlaces(size_t first = 0) { return product(outputs, first, outputs.size()); }
  mlir::Value outputLines(size_t first = 0) { return product(outputs, first, outputs.size() - 1); }

  /// The place in all spatial dimensions but the last of a row-major index of lines of outputs; of rows of the filter.
  llvm::SmallVector<mlir::Value> lineOfOutputs(mlir::Value index);
  llvm::SmallVector<mlir::Value> rowOfFilter(mlir::Value index);

  /// The first place of the input line, counted over the image, and whether there is one: null if always. Where there is none
  /// the place means nothing.
  struct Meeting {
    mlir::Value place, isThere;
  };
  Meeting inputLine(llvm::ArrayRef<mlir::Value> output, llvm::ArrayRef<mlir::Value> taps);

private:
  mlir::Value product(llvm::ArrayRef<mlir::Value> extents, size_t first, size_t end);

  CodeFrame &frame;
  const ConvolutionShape &shape;
  llvm::SmallVector<mlir::Value> inputs, outputs;
};

/// ConvolutionDim::Phase of an output, and the place of its first tap in the input line. Taps are tapStep() apart, their places
/// tapPlaces().
struct Phase {
  mlir::Value tap, taps, place;
};
/// Makes the table that phaseOf reads; null if outputs have one phase.
mlir::Value phaseTable(KernelFrame &frame, const ConvolutionDim &dim);
/// Returns the phase of the output `index` * outputStep() + `residue`.
Phase phaseOf(CodeFrame &frame, const ConvolutionDim &dim, mlir::Value table, mlir::Value residue, mlir::Value index);
/// Returns the part of a phase's taps that meets inputs of a line of `extent` places.
Phase insideOf(CodeFrame &frame, const ConvolutionDim &dim, const Phase &phase, mlir::Value extent);

/// The frame's pieces are panels of columns times `rows`: calls the body for each panel, with the rows to do of it; the last
/// panel is narrower where columns do not fill it.
void forPanelPieces(KernelFrame &frame, const TileShape &tile, int64_t columns, mlir::Value rows,
                    llvm::function_ref<void(const Panel &, mlir::Value firstRow, mlir::Value lastRow)> body);

} // namespace lathe::cpu

#endif
