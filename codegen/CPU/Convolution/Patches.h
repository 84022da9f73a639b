// The cover of an image's outputs by register tiles, made at compile time.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_PATCHES_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_PATCHES_H

#include "codegen/CPU/Convolution/TapTable.h"
#include "codegen/Points/VectorTarget.h"

namespace lathe::cpu {

/// A tile of lines x pixels, all of which read inputs through the same taps, times the vectors of `panels` panels: tiles of few
/// pixels are wider, so that enough sums hide the latency of multiply-adds. Inputs of adjacent lines are `lineDistance`
/// elements apart.
struct PatchTile {
  unsigned lines, pixels, panels;
  int64_t lineDistance;

  auto operator<=>(const PatchTile &) const = default;
};

/// The part of a schedule and of the target that the cover depends on.
struct PatchParameters {
  unsigned rows, vectors;          // of the largest tile
  unsigned panels;                 // panels that a work item computes at once
  int64_t blockLines, blockPlaces; // outputs of a block
  bool ordersSums;                 // lists the sums of a block in the order of the outputs
  const VectorTarget &target;

  /// Returns the number of panels that a tile of that many pixels takes at once: the most that the registers have sums for.
  unsigned panelsFor(unsigned pixels) const;
  /// Returns the rough cycles of one tap in one channel of a panel for a tile of that many pixels.
  double cyclesOf(unsigned pixels) const;
};

/// The outputs of an image in blocks of lines, or of places of one line if lines are long. A block consists of patches, which
/// are grids of equal tiles.
///
/// The words of block `b` begin at kBlockWords * b, in the order of BlockWord; those of patch `p` begin at patches +
/// kPatchWords * p, in the order of PatchWord. Patches whose tiles take several panels come last in a block. The sums of a
/// block are numbered tile by tile, and in a tile line by line. With `ordersSums`, word orders + `b` is the index of the word
/// from which on the numbers of the sums of block `b` are listed line by line.
struct Patches {
  enum BlockWord {
    kFirstPatch,
    kFirstWide, // the first patch with tiles of several panels
    kLastPatch, // end of the patches
    kOutputs,
    kBlockWords
  };
  enum PatchWord {
    kTile,       // index in `tiles`
    kClass,      // of the taps
    kBase,       // offset of the first output's inputs in the image, in elements
    kDown,       // tiles from top to bottom
    kAcross,     // and side by side
    kDownStep,   // elements of the input from one row of tiles to the next
    kFirstSum,   // number of the first output's sum in the block
    kFirstLine,  // of outputs
    kLineStep,   // from one line of a tile to the next
    kFirstPlace, // in the line
    kLines,      // of a tile
    kPixels,     // of a line of a tile
    kPatchWords
  };
  std::vector<int32_t> words;
  std::vector<PatchTile> tiles;
  int64_t blocks = 0, patches = 0, orders = 0;
  int64_t mostOutputs = 0; // of a block

  /// Makes the cover. Returns nullopt if the table would grow out of proportion.
  static std::optional<Patches> make(const ConvolutionShape &shape, const TapTable &table, const PatchParameters &parameters);
};

} // namespace lathe::cpu

#endif
