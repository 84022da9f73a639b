// Lines of pixels: code that the emitters of convolutions share.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_LINES_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_LINES_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

inline constexpr int64_t kMostLineMeetings = 1
                                             << 22; // pairs of outputs and taps of a line, which are enumerated at compile time

/// The spatial extents as values, and the line of inputs that a line of outputs reads through a row of the filter.
class ConvolutionLines {
public:
  ConvolutionLines(CodeFrame &frame, const ConvolutionShape &shape);

  const llvm::SmallVector<mlir::Value> &input() const { return inputs; }
  const llvm::SmallVector<mlir::Value> &output() const { return outputs; }
  /// Number of positions, or of lines of outputs, in an image; with `first`, in one position of the dimensions before it.
  mlir::Value inputPlaces(size_t first = 0) { return product(inputs, first, inputs.size()); }
  mlir::Value outputPlaces(size_t first = 0) { return product(outputs, first, outputs.size()); }
  mlir::Value outputLines(size_t first = 0) { return product(outputs, first, outputs.size() - 1); }

  /// Returns the coordinates, in all spatial dimensions but the last, of a row-major index of output lines or of filter rows.
  llvm::SmallVector<mlir::Value> lineOfOutputs(mlir::Value index);
  llvm::SmallVector<mlir::Value> rowOfFilter(mlir::Value index);

  /// The first position of an input line within its image, and the condition that the line exists: null if it always does. The
  /// position is unspecified if the line does not exist.
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

/// ConvolutionDim::Phase of an output, with the position of its first tap in the input line. Taps are tapStep() apart, their
/// positions tapPlaces().
struct Phase {
  mlir::Value tap, taps, place;
};
/// Makes the table that phaseOf reads; null if all outputs have the same phase. Each table of a kernel needs a name of its own.
mlir::Value phaseTable(KernelFrame &frame, const ConvolutionDim &dim, llvm::StringRef name = "phases");
/// Returns the phase of the output `index` * outputStep() + `residue`.
Phase phaseOf(CodeFrame &frame, const ConvolutionDim &dim, mlir::Value table, mlir::Value residue, mlir::Value index);
/// Returns the part of a phase's taps that reads inputs within a line of `extent` positions.
Phase insideOf(CodeFrame &frame, const ConvolutionDim &dim, const Phase &phase, mlir::Value extent);

/// Calls the body for the columns of each tile with their range of `rows`, where the frame's work items are tiles times rows.
/// The last tile is narrower if it has fewer columns.
void forColumnPieces(KernelFrame &frame, const TileShape &tile, int64_t columns, mlir::Value rows,
                     llvm::function_ref<void(const TileColumns &, mlir::Value firstRow, mlir::Value lastRow)> body);

} // namespace lathe::cpu

#endif
