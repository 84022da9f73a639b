// lathe.conv with named spatial extents.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_OPENFORWARD_H

#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The schedule of a convolution with named extents.
struct OpenForwardSchedule {
  TileShape tile;          // its rows are pixels
  int64_t chunkRows = 0;   // rows of the filter in a chunk that fits the first-level cache; 0: all rows
  int64_t blockPlaces = 1; // output positions whose sums stay in the cache during the loop over chunks

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("chunk_rows", chunkRows, 0, 1 << 20);
    visitor("block_places", blockPlaces, 1, 1 << 16);
  }
};

OpenForwardSchedule chooseOpenForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

/// True unless a chunk has too many taps.
bool hasOpenForward(ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule);

mlir::LogicalResult checkOpenForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape,
                                     const OpenForwardSchedule &schedule, const VectorTarget &target);

void emitOpenForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule);

} // namespace lathe::cpu

#endif
