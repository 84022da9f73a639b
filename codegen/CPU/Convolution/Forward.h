// lathe.conv.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H

#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// How the outputs of a convolution over known extents are done.
struct ForwardSchedule {
  TileShape images, pixels; // tiles whose rows are images, and the last few images' tiles, whose rows are neighbouring pixels
  /// Rows of the filter in a chunk that stays in the first cache; 0 without chunks. They are for tiles of pixels, where a
  /// filter would be read anew for every few pixels.
  int64_t chunkRows = 0;
  int64_t blockLines = 1; // lines of outputs whose sums wait in the cache while chunks go by
  int64_t piece = 1;      // neighbouring output places, of all images and channels, that are one piece of work

  template <typename Visitor>
  void visit(Visitor &visitor) {
    images.visit(visitor, "image_");
    pixels.visit(visitor, "pixel_");
    visitor("chunk_rows", chunkRows, 0, 1 << 20);
    visitor("block_lines", blockLines, 1, 1 << 20);
    visitor("piece", piece, 1, 1 << 30);
  }
};

ForwardSchedule chooseForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot obey.
mlir::LogicalResult checkForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape, const ForwardSchedule &schedule,
                                 const VectorTarget &target);

/// The loops of a convolution over the output places from frame.begin to frame.end.
void emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                 const ForwardSchedule &schedule);

} // namespace lathe::cpu

#endif
