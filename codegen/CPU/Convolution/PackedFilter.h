// Tiles whose rows are images, and the copies of the filter that they read.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_PACKEDFILTER_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_PACKEDFILTER_H

#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// Returns the most images of a tile that has images as rows. Images that are a multiple of 4096 bytes apart map to one cache
/// set, so that larger tiles have some 8 of them and several pixels of each.
unsigned mostImagesOf(const TileShape &tile);

/// The copies of the filter that tiles of images read: those of one chain, while the sums of a block of images are in memory.
struct PackedFilter {
  int64_t images;     // of a block
  int64_t sums, rows; // elements of the sums of all outputs of these images, and of the copies

  int64_t elements() const { return sums + rows; }

  /// True if sums have chains, all but the last have equally many rows, they form one group, and a tile's pixels are adjacent.
  static bool fits(ConvOp op, const ConvolutionShape &shape, const TileShape &tile);
  /// True if threads share the tiles of columns of this width, instead of positions, where tiles cover all images.
  static bool sharesTiles(const ConvolutionShape &shape, const TileShape &tile);

  static PackedFilter of(const ConvolutionShape &shape, const TapTable &table, const TileShape &tile, unsigned bytes);
};

} // namespace lathe::cpu

#endif
