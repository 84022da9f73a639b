// The tiles of a product that a block goes through, as boxes of the operands' spans.
#ifndef LATHE_CODEGEN_GPU_HOPPER_BOXTILES_H
#define LATHE_CODEGEN_GPU_HOPPER_BOXTILES_H

#include "codegen/GPU/Hopper/GroupProduct.h"

namespace lathe::gpu {

class BoxTiles {
public:
  /// `parts` of the depth are shared by different blocks.
  BoxTiles(ThreadFrame &frame, ProductPoints &points, const GroupProduct &form, int64_t parts)
      : frame(frame), eval(frame.eval), b(frame.b), points(points), form(form), parts(parts) {}

  /// Calls the body for each tile of this block, with the number of slices that came before; the body returns that of the next
  /// tile.
  void each(llvm::function_ref<mlir::Value(mlir::Value)> body);
  /// Calls body(slice, its number among all of this block) for the slices of the current tile. Returns the number behind the
  /// last one.
  mlir::Value eachSlice(mlir::Value before, llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// Pieces of one step of that loop: products read words of left while those of the next slice are loaded into other
  /// registers. Pieces past the depth's end are zeros.
  unsigned slices() const { return form.isLeftInRegisters ? 2 : 1; }

  /// Splits a slice's number into one number of a box per span of the depth, i32.
  llvm::SmallVector<mlir::Value> depthsOf(const Side &side, mlir::Value slice);
  /// Returns where a box begins along each axis of the side's map: the box that begins at `inTile` of the tile, at these boxes
  /// of the depth.
  llvm::SmallVector<mlir::Value> placesOf(const Side &side, llvm::ArrayRef<unsigned> inTile,
                                          llvm::ArrayRef<mlir::Value> depths);

  llvm::SmallVector<mlir::Value> firstLeft, firstRight; // where the tile begins in each span, i64
  mlir::Value part;                                     // of the depth: its number
  mlir::Value start, steps; // of the loop over the depth: the first step of this block, and how many there are

private:
  void place(mlir::Value tile);
  mlir::Value boxCount(llvm::ArrayRef<Span> spans);
  llvm::SmallVector<mlir::Value> boxAt(llvm::ArrayRef<Span> spans, mlir::Value box);
  mlir::Value placeOf(const Side &side, const Matrix::Axis &axis, llvm::ArrayRef<unsigned> inTile,
                      llvm::ArrayRef<mlir::Value> depths);
  mlir::Value number(int64_t value) { return frame.number(int32_t(value)); }
  mlir::Value divide(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::DivUIOp>(frame.loc, x, y); }
  mlir::Value remainder(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::RemUIOp>(frame.loc, x, y); }

  ThreadFrame &frame;
  PointEvaluator &eval;
  mlir::OpBuilder &b;
  ProductPoints &points;
  const GroupProduct &form;
  int64_t parts;
};

} // namespace lathe::gpu

#endif
