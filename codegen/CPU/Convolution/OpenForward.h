// lathe.conv over spatial extents that have names.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// How the outputs of an image of named extents are done.
struct OpenForwardSchedule {
  TileShape tile;          // its rows are pixels
  int64_t chunkRows = 0;   // rows of the filter that stay in the first cache; 0: all of them
  int64_t blockPlaces = 1; // places of outputs whose sums wait in the cache while chunks go by

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("chunk_rows", chunkRows, 0, 1 << 20);
    visitor("block_places", blockPlaces, 1, 1 << 16);
  }
};

OpenForwardSchedule chooseOpenForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

/// True unless too many taps of the filter are done at once.
bool hasOpenForward(ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule);

mlir::LogicalResult checkOpenForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape,
                                     const OpenForwardSchedule &schedule, const VectorTarget &target);

void emitOpenForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule);

} // namespace lathe::cpu

#endif
