// The tiles that a persistent block computes, as boxes of the operands' spans.
#ifndef LATHE_CODEGEN_GPU_HOPPER_BOXTILES_H
#define LATHE_CODEGEN_GPU_HOPPER_BOXTILES_H

#include "codegen/GPU/Hopper/GroupProduct.h"

namespace lathe::gpu {

class BoxTiles {
public:
  /// `parts` is the number of parts of the depth, for different blocks.
  BoxTiles(ThreadFrame &frame, ProductPoints &points, const GroupProduct &form, int64_t parts)
      : frame(frame), eval(frame.eval), b(frame.b), points(points), form(form), parts(parts) {}

  /// Emits a loop over the tiles of this block. The body gets the number of k-slices of the tiles before, and returns that
  /// number after its tile.
  void each(llvm::function_ref<mlir::Value(mlir::Value)> body);
  /// Emits a loop over the k-slices of the current tile, which calls body(k-slice, iteration). Iterations are the numbers of
  /// k-slices over all tiles of this block. Returns the iteration after the last one.
  mlir::Value eachSlice(mlir::Value before, llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// Returns the number of k-slices per step of that loop. With the left operand in registers there are two, so that products
  /// read one set of registers while the next k-slice is loaded into the other. K-slices past the depth's end are zeros.
  unsigned slices() const { return form.isLeftInRegisters ? 2 : 1; }

  /// Splits a k-slice's number into one i32 number of a box per span of the depth.
  llvm::SmallVector<mlir::Value> depthsOf(const Side &side, mlir::Value slice);
  /// Returns the coordinates of a TMA box along each axis of the side's map. The box begins at `inTile` of the tile, and at
  /// these boxes of the depth.
  llvm::SmallVector<mlir::Value> placesOf(const Side &side, llvm::ArrayRef<unsigned> inTile,
                                          llvm::ArrayRef<mlir::Value> depths);

  llvm::SmallVector<mlir::Value> firstLeft, firstRight; // the tile's first point in each span, i64
  mlir::Value part;                                     // number of the tile's part of the depth
  mlir::Value start, steps;                             // loop over the depth: the part's first step, and its number of steps

private:
  void place(mlir::Value tile);
  mlir::Value boxCount(llvm::ArrayRef<Span> spans);
  llvm::SmallVector<mlir::Value> boxAt(llvm::ArrayRef<Span> spans, mlir::Value box);
  mlir::Value placeOf(const Side &side, const Matrix::Axis &axis, llvm::ArrayRef<unsigned> inTile,
                      llvm::ArrayRef<mlir::Value> depths);
  mlir::Value number(int64_t value) { return frame.number(int32_t(value)); }

  ThreadFrame &frame;
  PointEvaluator &eval;
  mlir::OpBuilder &b;
  ProductPoints &points;
  const GroupProduct &form;
  int64_t parts;
};

} // namespace lathe::gpu

#endif
