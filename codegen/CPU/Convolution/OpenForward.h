// lathe.conv over spatial extents that have names.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// True unless too many taps of the filter are done at once.
bool hasOpenForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

void emitOpenForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

} // namespace lathe::cpu

#endif
