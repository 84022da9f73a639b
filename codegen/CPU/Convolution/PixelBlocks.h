// lathe.conv of single images: tiles whose rows are pixels.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_PIXELBLOCKS_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_PIXELBLOCKS_H

#include "codegen/CPU/Convolution/Filter.h"
#include "codegen/CPU/Convolution/PatchSums.h"
#include "codegen/CPU/Convolution/Patches.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The code of some images of a convolution. A work item is one block of outputs of one image in a group of panels.
class PixelBlocks {
public:
  PixelBlocks(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable tapWords,
              const Patches &patches, const PatchParameters &parameters, const TileShape &tile);

  /// Returns the number of work items of one image.
  int64_t itemsOfImage() const;
  /// Emits the work items [low, high) of the images from `first` on. Items count blocks fastest, then images, then panels.
  void emit(mlir::Value first, mlir::Value count, mlir::Value low, mlir::Value high);

private:
  /// Groups of panels of equal shape: `count` groups of `panels` panels in each group of channels.
  struct Strip {
    int64_t firstColumn, panels, count;
    unsigned vectors;
    int64_t lastLanes;
  };
  /// The columns and the image of a work item.
  struct Item {
    mlir::Value column, image, input; // `input`: address of the image's first channel of the group
    mlir::Value number, block;        // of the block, and the index of its words
  };

  llvm::SmallVector<Strip> strips() const;
  /// Some patches of a block and some panels.
  struct Part {
    mlir::Value firstPatch, lastPatch, panel, panels;
  };
  struct Chain {
    mlir::Value number, isFirst;
  };
  void emitItem(const Strip &strip, const Item &item);
  void addPatches(const Strip &strip, const Item &item, const Part &part, const Chain &chain, bool isWide);
  TileSums codeOf(const Strip &strip, const PatchTile &each, unsigned panels) const;
  PatchSums::Call callOf(const Strip &strip, const Item &item, const Part &part, mlir::Value panel, const Chain &chain,
                         const PatchSums &code);
  mlir::Value distanceToNext(const Strip &strip, const Item &item, mlir::Value panel, mlir::Value column);
  void finishPatch(const Strip &strip, const Item &item, mlir::Value patch);
  /// The outputs of a block. `order` is the index of the word from which on the numbers of their sums are listed line by line.
  struct BlockOutputs {
    mlir::Value firstLine, lines, firstPlace, places, order;
  };
  /// Some channels, and `side` adjacent outputs, whose sums are transposed at once. Only the last channels of a panel may be
  /// fewer than `side`.
  struct Square {
    mlir::Value firstChannel;
    int64_t channels;
    mlir::Value sums; // address of the first channel in the block's first sum
    unsigned side;
  };
  void finishPlanes(const Strip &strip, const Item &item);
  void finishChannels(const Item &item, const BlockOutputs &outputs, const Square &square);
  void finishSquare(const Square &square, mlir::ValueRange from, llvm::MutableArrayRef<Index> place);
  mlir::Value word(mlir::Value patch, Patches::PatchWord number);
  mlir::Value placeOf(mlir::Value panel, mlir::Value output);

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const ConvolutionShape &shape;
  const TapTable &table;
  WordTable tapWords;
  const Patches &patches;
  const PatchParameters &parameters;
  TileShape tile;
  WordTable words;
  mlir::Type element;
  int64_t width; // elements of a panel of sums
  FilterMemory filter;
  Chains chains;
  mlir::Value sums, totals; // on the stack: of a block in all panels of a work item, and over groups of chains
  mlir::Value transposed;   // on the stack: a square of sums, if the epilogue is long
};

} // namespace lathe::cpu

#endif
