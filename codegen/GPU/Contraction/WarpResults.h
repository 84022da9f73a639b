// The epilogue of a warp's sums. They pass through the warp's buffer in shared memory, so that adjacent lanes finish and store
// adjacent elements, in vectors if the kernel's results allow that.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_WARPRESULTS_H
#define LATHE_CODEGEN_GPU_CONTRACTION_WARPRESULTS_H

#include "codegen/GPU/Contraction/ProductPoints.h"

namespace lathe::gpu {

class WarpResults {
public:
  /// The size of a warp's buffer, or of a tile of the product.
  struct Size {
    unsigned rows, columns;
  };
  /// With `isTransposed`, the rows of `put` are the columns of the buffer. `boxed` has the spans of which a tile's rows are a
  /// box. It is empty if the rows are consecutive ones of the product.
  WarpResults(ThreadFrame &frame, ProductPoints &points, const KernelLoops &loops, const Product &product, Size bufferSize,
              Size tileSize, bool isTransposed = false, llvm::ArrayRef<Span> boxed = {})
      : frame(frame), points(points), loops(loops), product(product), bufferSize(bufferSize), tileSize(tileSize),
        isTransposed(isTransposed), boxed(boxed) {}

  unsigned bytes() const { return bytesOf(bufferSize, isTransposed, product.sum); }
  /// Returns the bytes of a warp's buffer for sums of this type.
  static unsigned bytesOf(Size buffer, bool isTransposed, mlir::Type sum) {
    return buffer.rows * pitchOf(buffer, isTransposed) * (sum.getIntOrFloatBitWidth() / 8);
  }

  /// The warp's buffer, and its first row and column in the product. For a box the row is relative to the box, which begins at
  /// `firsts`.
  struct Part {
    mlir::Value buffer, firstRow, firstColumn;
    llvm::ArrayRef<mlir::Value> firsts = {};
  };
  /// Stores two adjacent sums of a lane at row + rowMore and column + columnMore of the buffer.
  void put(const Part &part, mlir::ArrayRef<mlir::Value> pair, mlir::Value row, unsigned rowMore, mlir::Value column,
           unsigned columnMore);
  /// Calls body(sums, row, column) for each vector of `lanes` sums of this thread, with their row and column in the product.
  /// All lanes must have put theirs before.
  void forEach(const Part &part, unsigned lanes, llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value)> body);
  /// Recomputes sums that are not finite. The code is skipped if all sums of the warp are finite; `sums` are the lane's.
  void repair(const Part &part, mlir::ArrayRef<mlir::Value> sums);
  /// Computes the epilogue and stores the results, for `lanes` sums at once.
  void store(const Part &part, unsigned lanes);
  /// Stores the sums of one of `parts` parts of the depth to scratch memory instead, at their points' row-major numbers.
  void storePart(const Part &part, mlir::Value number, int64_t parts);

private:
  /// Returns the words between rows of the buffer. Rows are padded against bank conflicts: by 8 words, because lanes write
  /// pairs in eight rows, or by 4 if lanes write single words, eight along a row in four pairs of rows.
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
