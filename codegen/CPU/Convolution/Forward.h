// lathe.conv.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H

#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The schedule of a convolution with known extents.
struct ForwardSchedule {
  TileShape images, pixels; // tiles whose rows are images, and tiles for the last few images, whose rows are adjacent pixels
  /// Rows of the filter in a chunk that fits the first-level cache; 0 without chunks. Only tiles of pixels use chunks: without
  /// them, every few pixels would read the whole filter.
  int64_t chunkRows = 0;
  int64_t blockLines = 1; // lines of outputs whose sums stay in the cache during the loop over chunks
  int64_t piece = 1;      // consecutive output positions, of all images and channels, per work item

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

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape, const ForwardSchedule &schedule,
                                 const VectorTarget &target);

/// Emits the loops of a convolution over the output positions from frame.begin to frame.end.
void emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                 const ForwardSchedule &schedule);

} // namespace lathe::cpu

#endif
