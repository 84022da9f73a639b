// The squares of the images of a Winograd convolution: their places, and their vectors in memory.
#ifndef LATHE_CODEGEN_CPU_WINOGRAD_SQUARES_H
#define LATHE_CODEGEN_CPU_WINOGRAD_SQUARES_H

#include "codegen/CPU/Winograd/Transforms.h"

namespace lathe::cpu {

/// The squares of all images, which are numbered one after the other.
class SquareGrid {
public:
  SquareGrid(KernelFrame &frame, const WinogradShape &shape, WinogradSquare square);

  /// A square's image, and its first output in both dimensions.
  struct Place {
    mlir::Value image;
    std::array<mlir::Value, 2> output;
  };
  Place placeOf(mlir::Value number) const;
  /// Returns the number of squares.
  mlir::Value count() const;

  std::array<mlir::Value, 2> inputExtent, outputExtent;

private:
  KernelFrame &frame;
  WinogradSquare square;
  mlir::Value images;
  std::array<mlir::Value, 2> grid; // squares of an image in each dimension
};

/// Reads squares of `side` pixels a side of images with `channels` channels. A square that goes over a border of the image is
/// copied to the stack, with zeros beyond the border.
class SquareReader {
public:
  /// At most `most` channels are read at once. The frame must be outside its loops.
  SquareReader(KernelFrame &frame, mlir::Value images, const std::array<mlir::Value, 2> &extent, int64_t side, int64_t channels,
               int64_t most, unsigned lanes);

  /// Emits `transform` for the vectors of the square that begins at pixel `first`, from `channel` on.
  void read(mlir::Value image, const std::array<mlir::Value, 2> &first, mlir::Value channel, mlir::Value size,
            llvm::function_ref<void(const SquareOfVectors &)> transform);

  /// Returns the elements on the stack.
  static int64_t elements(int64_t side, int64_t most) { return side * side * most; }

private:
  void copy(const std::array<mlir::Value, 2> &first, const SquareOfVectors &from, mlir::Value size);
  void forLanes(mlir::Value size, llvm::function_ref<void(mlir::Value)> body);
  mlir::Value atMost(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);

  KernelFrame &frame;
  mlir::Value images;
  std::array<mlir::Value, 2> extent;
  int64_t side, channels, most;
  unsigned lanes;
  mlir::Value patch;
};

} // namespace lathe::cpu

#endif
