// Copies of the inputs and cotangents of a chain of a filter's gradient.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_PACKEDCHAIN_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_PACKEDCHAIN_H

#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tiles/Tile.h"

namespace lathe::cpu {

/// The positions that a chain of a filter's gradient reads. Chains consist of whole lines of outputs. The inputs that these
/// lines read through all taps are whole lines, too, consecutive in memory even where they belong to several images.
struct PackedChain {
  int64_t inputs, outputs; // the most positions of a chain

  /// Returns nullopt for named extents, more than two dimensions, inputs apart from one another, and lines that are cut.
  static std::optional<PackedChain> of(const ConvolutionShape &shape);

  /// Returns the elements of a position of a strip of `rows` channels, and of both copies for such a tile.
  static int64_t inputPitch(const TileShape &tile) { return llvm::divideCeil(tile.rows, tile.lanes) * tile.lanes; }
  int64_t elements(const TileShape &tile) const {
    return inputs * inputPitch(tile) + outputs * tile.vectors * int64_t(tile.lanes);
  }
};

/// Emits code that copies what a chain reads to the stack.
class ChainPacker {
public:
  ChainPacker(KernelFrame &frame, const ConvolutionShape &shape, const PackedChain &chain, const TileShape &tile,
              mlir::Type element);

  /// Copies `rows` channels from `input` on, the address of the first one at the first position, for the lines of outputs
  /// [firstLine, endLine), which count over all images. Returns the address that the first position would have.
  mlir::Value packInputs(mlir::Value input, int64_t rows, mlir::Value firstLine, mlir::Value endLine);
  /// Copies the columns that begin at `cotangent`, the address of the first one at the first position.
  mlir::Value packOutputs(mlir::Value cotangent, const TileColumns &columns, mlir::Value firstLine, mlir::Value endLine);

  int64_t inputPitch() const { return PackedChain::inputPitch(tile); }
  int64_t outputPitch() const { return tile.vectors * int64_t(tile.lanes); }

private:
  mlir::Value firstInputLine(mlir::Value line);
  mlir::Value endOfInputLines(mlir::Value line);

  KernelFrame &frame;
  PointEvaluator &eval;
  const ConvolutionShape &shape;
  TileShape tile;
  mlir::Type element;
  mlir::Value inputs, outputs; // on the stack
};

} // namespace lathe::cpu

#endif
