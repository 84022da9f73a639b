// lathe.conv.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H

#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The loops of a convolution. A piece is an output place: all images, all channels.
void emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                 const Target &target);

} // namespace lathe::cpu

#endif
