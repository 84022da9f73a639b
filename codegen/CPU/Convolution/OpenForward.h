// lathe.conv over spatial extents that have names.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// A convolution whose filter's sizes are numbers, while extents of the image may have names.
struct OpenConvolution {
  ConvolutionShape shape;  // extents of input and output in it mean nothing
  Dims input, output;      // the spatial ones
  int64_t chunkRows = 0;   // rows of the filter that stay in the first cache; 0: all of them

  /// One spatial dimension stands for all where an output meets no more than its own place.
  bool isFlat() const;
};

/// Returns nullopt for other ops, input dilation, and what only ConvolutionShape refuses for its channels.
std::optional<OpenConvolution> openConvolution(ConvOp op, const VectorTarget &target);

void emitOpenForward(KernelFrame &frame, ConvOp op, const OpenConvolution &open, const VectorTarget &target);

} // namespace lathe::cpu

#endif
