// The sums of some patches of a convolution's block.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_PATCHSUMS_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_PATCHSUMS_H

#include "codegen/CPU/Convolution/Patches.h"
#include "codegen/CPU/Convolution/TileFunction.h"

namespace lathe::cpu {

/// The code for patches whose tiles are of some kinds. Sizes and tables are arguments of the function, so that a few functions
/// serve all convolutions of a graph.
struct PatchSums {
  struct Tile {
    unsigned kind; // as the words of patches have it
    TileSums code;
  };
  llvm::SmallVector<Tile, 4> tiles;
  bool hasOthers = false; // patches of other kinds are left out

  /// The values of a call. Input, filter and sums point to the image, to the first row of the first panel's columns, and to
  /// that panel's sums of the block.
  struct Call {
    mlir::Value input, filter, sums;
    mlir::Value patches, first, last;  // address of the words of all patches, and the range of patches
    mlir::Value lists, runs;           // addresses of the chain's lists of taps, and of the runs (TapTable)
    mlir::Value pixelDistance;         // elements from the inputs of one pixel to those of the next
    mlir::Value ahead = {}, adds = {}; // as of tiles
  };
  /// Calls the function of the kernel's module for these tiles; kernels with equal tiles share it.
  void call(KernelFrame &frame, const Call &values) const;

private:
  struct Arguments;
  std::string name() const;
  void emit(KernelFrame &kernel, CodeFrame &frame, const Arguments &arguments) const;
  void emitTiles(KernelFrame &kernel, CodeFrame &frame, const Arguments &arguments, mlir::Value patch, mlir::Value kind) const;
};

} // namespace lathe::cpu

#endif
