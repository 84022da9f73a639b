// What becomes of a warp's sums: they pass through its buffer in shared memory, so that neighbouring lanes finish and store
// neighbouring elements, as many at once as the kernel's results let them.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_WARPRESULTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_WARPRESULTS_H

#include "codegen/GPU/Contraction/ProductPoints.h"

namespace lathe::gpu {

class WarpResults {
public:
  /// What is cut into parts: a warp's buffer, or the product into tiles.
  struct Size {
    unsigned rows, columns;
  };
  /// `isTransposed`: what put calls rows are the buffer's columns. `boxed`: of which spans a tile's rows are a box; none where
  /// they are neighbours in the product's order.
  WarpResults(ThreadFrame &frame, ProductPoints &points, const KernelLoops &loops, const Product &product, Size bufferSize,
              Size tileSize, bool isTransposed = false, llvm::ArrayRef<Span> boxed = {})
      : frame(frame), points(points), loops(loops), product(product), bufferSize(bufferSize), tileSize(tileSize),
        isTransposed(isTransposed), boxed(boxed) {}

  unsigned bytes() const { return bytesOf(bufferSize, isTransposed, product.sum); }
  /// Bytes of a warp's buffer for sums of this type.
  static unsigned bytesOf(Size buffer, bool isTransposed, mlir::Type sum) {
    return buffer.rows * pitchOf(buffer, isTransposed) * (sum.getIntOrFloatBitWidth() / 8);
  }

  /// The warp's buffer, and which row and column of the product are its first ones; of a box which row of that, which itself
  /// begins at `firsts`.
  struct Part {
    mlir::Value buffer, firstRow, firstColumn;
    llvm::ArrayRef<mlir::Value> firsts = {};
  };
  /// Two neighbouring sums of a lane, to row + rowMore and column + columnMore of the buffer.
  void put(const Part &part, mlir::ArrayRef<mlir::Value> pair, mlir::Value row, unsigned rowMore, mlir::Value column,
           unsigned columnMore);
  /// When all lanes have put theirs: calls body(sums, their row and column in the product) for each `lanes` sums of this
  /// thread.
  void forEach(const Part &part, unsigned lanes, llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value)> body);
  /// Makes sums that are not finite once more, if there are such among the warp's, of which each lane has some.
  void repair(const Part &part, mlir::ArrayRef<mlir::Value> sums);
  /// Does what else the kernel does, with so many sums at once.
  void store(const Part &part, unsigned lanes);
  /// Sums of one part of the depth, of so many, go to scratch memory instead, at their points' row-major places.
  void storePart(const Part &part, mlir::Value number, int64_t parts);

private:
  /// Rows are 8 words further apart than they are long, so that lanes which write pairs, eight rows down, meet different banks;
  /// 4 where they write single words, eight along and four rows down by two.
  static unsigned pitchOf(Size buffer, bool isTransposed) { return buffer.columns + (isTransposed ? 4 : 8); }
  unsigned pitch() const { return pitchOf(bufferSize, isTransposed); }
  mlir::Value inside(mlir::Value at, llvm::ArrayRef<unsigned> dims, unsigned length);
  mlir::Value isRow(const Part &part, mlir::Value row);
  void set(const Part &part, mlir::Value row, mlir::Value column);
  void visit(const Part &part, unsigned lanes, llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value)> body);

  ThreadFrame &frame;
  ProductPoints &points;
  const KernelLoops &loops;
  const Product &product;
  Size bufferSize, tileSize;
  bool isTransposed;
  llvm::ArrayRef<Span> boxed;
};

} // namespace lathe::gpu

#endif
