// The linear transforms of Winograd's minimal filtering: of inputs, of the filter, and of sums back to outputs. A gradient by
// the filter takes the transposes of the last two: of cotangents of outputs, and of sums back to taps.
#ifndef LATHE_CODEGEN_CPU_WINOGRAD_TRANSFORMS_H
#define LATHE_CODEGEN_CPU_WINOGRAD_TRANSFORMS_H

#include "codegen/CPU/Tiles/Frame.h"
#include "lib/Analysis/Winograd.h"

namespace lathe::cpu {

/// A square array of vectors in memory. Distances count elements.
struct SquareOfVectors {
  mlir::Value address;
  mlir::Value rowDistance, columnDistance;
};

/// The transforms of squares of f32, `lanes` channels or filters at a time. A transform in one dimension is
///   inputs d:         at point p, the coefficients of the product of x - q over all other points q but infinity, times d
///   filter w:         at point p, w times WinogradPoints::ofFilter
///   output i of sums: the sum of p^i sums(p) over all points p
///   cotangents g:     at point p, the sum of p^i g(i) over all outputs i
///   tap k of sums:    the sum of WinogradPoints::ofFilter for p and k times sums(p) over all points p
/// and both dimensions are transformed one after the other. Points of both signs share their even and odd parts.
class WinogradTransforms {
public:
  WinogradTransforms(KernelFrame &frame, WinogradSquare square, unsigned lanes);

  /// Transforms vectors of a square of inputs for `channels` channels. Point i of the square is stored at `to` + i * toDistance
  /// + channel.
  void inputs(const SquareOfVectors &from, mlir::Value channels, mlir::Value to, mlir::Value toDistance);
  /// Transforms `columns` adjacent filters for some channels, whose filters are `filters` elements apart, and whose transforms
  /// are `columns` elements apart.
  void filter(const SquareOfVectors &from, mlir::Value filters, mlir::Value channels, mlir::Value columns, mlir::Value to,
              mlir::Value toDistance);
  /// Transforms the sums of `columns` filters, of which those of point i are at `from` + i * fromDistance, to a square of
  /// outputs.
  void outputs(mlir::Value from, mlir::Value fromDistance, mlir::Value columns, const SquareOfVectors &to);

  /// Transforms the vectors of a square of cotangents for `filters` filters, as `inputs` does those of channels.
  void cotangents(const SquareOfVectors &from, mlir::Value filters, mlir::Value to, mlir::Value toDistance);
  /// Transforms the sums of `columns` filters, as `outputs` does, to the taps of their gradient.
  void taps(mlir::Value from, mlir::Value fromDistance, mlir::Value columns, const SquareOfVectors &to);

private:
  struct Kind;
  /// The arguments of a transform's function, in order. It transforms `lines` lines of `count` squares each, of which the
  /// vectors of adjacent squares are adjacent.
  struct Arguments {
    SquareOfVectors from, to;
    mlir::Value count, lines, fromPitch, toPitch;
  };
  mlir::LLVM::LLVMFuncOp function(const Kind &kind, llvm::ArrayRef<mlir::Value> distances);
  void emit(CodeFrame &inside, const Kind &kind, const Arguments &arguments) const;
  void call(const Kind &kind, const Arguments &arguments);
  Arguments oneLine(const SquareOfVectors &from, mlir::Value count, const SquareOfVectors &to) const;
  SquareOfVectors points(mlir::Value address, mlir::Value distance) const;

  KernelFrame &frame;
  WinogradSquare square;
  unsigned lanes;
};

} // namespace lathe::cpu

#endif
