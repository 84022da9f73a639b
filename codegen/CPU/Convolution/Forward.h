// lathe.conv.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_FORWARD_H

#include "codegen/CPU/Convolution/Patches.h"
#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The schedule of a convolution with known extents.
struct ForwardSchedule {
  bool byImages = false;    // tiles have images as rows, as far as there are enough
  bool packsFilter = false; // these tiles read copies of a chain's rows of the filter
  TileShape images, pixels; // tiles of images, and the largest ones whose rows are pixels
  int64_t panels = 1;       // panels of `pixels` that a work item computes at once; tiles of few pixels take several of them
  int64_t blockLines = 1;   // lines of outputs, or places of one line, whose sums stay in the cache while chains of the sum
  int64_t blockPlaces = 1;  // are added

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("by_images", byImages);
    visitor("packs_filter", packsFilter);
    images.visit(visitor, "image_");
    pixels.visit(visitor, "pixel_");
    visitor("pixel_panels", panels, 1, 64);
    visitor("block_lines", blockLines, 1, 1 << 20);
    visitor("block_places", blockPlaces, 1, 1 << 20);
  }
};

/// Returns what the cover of an image by tiles of pixels depends on.
PatchParameters patchParametersOf(ConvOp op, const ForwardSchedule &schedule, const VectorTarget &target);

ForwardSchedule chooseForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target);

/// True unless the table of patches would grow out of proportion.
bool hasForward(ConvOp op, const ConvolutionShape &shape, const TapTable &table, const ForwardSchedule &schedule,
                const VectorTarget &target);

/// Refuses, with a diagnostic at the kernel, a schedule that the emitter cannot follow.
mlir::LogicalResult checkForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape, const ForwardSchedule &schedule,
                                 const VectorTarget &target);

/// Emits the loops of a convolution over the work items from frame.begin to frame.end, and sets the code's extent and unit.
void emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table,
                 const ForwardSchedule &schedule, KernelCode &code);

} // namespace lathe::cpu

#endif
