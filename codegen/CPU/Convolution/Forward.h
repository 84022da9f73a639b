// lathe.conv.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H

#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// How many neighbouring output places, of all images and channels, make a piece of work. With images enough to be a tile's
/// rows it is one; else rows are places, and a piece is a line of them.
int64_t placesPerPiece(ConvOp op, const ConvolutionShape &shape);

/// How many rows of the filter the table should have to a chunk; 0 without chunks: where the filter of a panel is small, or
/// lines of outputs are long. They are for what has pixels as rows, where a filter would be read anew for every few pixels.
int64_t chunkRows(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

/// The loops of a convolution over the output places from frame.begin to frame.end.
void emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                 const VectorTarget &target);

} // namespace lathe::cpu

#endif
