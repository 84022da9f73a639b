// Lines of pixels: what emitters of depthwise convolutions share.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_LINES_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_LINES_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

inline constexpr int64_t kMostLineVectors = 4;        // of channels that a tile has
inline constexpr int64_t kMostLineMeetings = 1 << 22; // of outputs and taps of a line, which are gone through while compiling

/// Which line of an image's inputs a line of its outputs meets through a row of the filter.
class ConvolutionLines {
public:
  ConvolutionLines(CodeFrame &frame, const ConvolutionShape &shape) : frame(frame), shape(shape) {}

  /// The place in all spatial dimensions but the last of a row-major index of lines.
  llvm::SmallVector<mlir::Value> unravel(mlir::Value index, int64_t ConvolutionDim::*extent);

  /// The first place of the input line, counted over the image, and whether there is one: null if always. Where there is none
  /// the place means nothing.
  struct Meeting {
    mlir::Value place, isThere;
  };
  Meeting inputLine(llvm::ArrayRef<mlir::Value> output, llvm::ArrayRef<mlir::Value> taps);

private:
  CodeFrame &frame;
  const ConvolutionShape &shape;
};

/// The frame's pieces are panels of columns times `rows`: calls the body for each panel, with the rows to do of it; the last
/// panel is narrower where columns do not fill it.
void forPanelPieces(KernelFrame &frame, const TileShape &tile, int64_t columns, int64_t rows,
                    llvm::function_ref<void(const Panel &, mlir::Value firstRow, mlir::Value lastRow)> body);

} // namespace lathe::cpu

#endif
