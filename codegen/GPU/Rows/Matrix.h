// The base of triangular_solve and cholesky: batches of square matrices, tiles of them in shared memory, and the elements of a
// tile in the registers of a block's threads.
#ifndef LATHE_CODEGEN_GPU_ROWS_MATRIX_H
#define LATHE_CODEGEN_GPU_ROWS_MATRIX_H

#include "codegen/GPU/Rows/RowProgram.h"

namespace lathe::gpu {

class MatrixKernel : protected RowProgram {
public:
  static constexpr int64_t kTile = 32; // rows of a tile; also its columns, except for tiles of right-hand sides

  /// The block's threads have the elements of a tile of `columns` columns: thread t those in column t % columns and rows t /
  /// columns, t / columns + groups, and so on.
  MatrixKernel(KernelOp kernel, mlir::Operation *op, const FunctionPlace &place, unsigned threads, int64_t columns);

  /// Returns the number of rows of the square matrices.
  static Dim sizeOf(mlir::Operation *op) { return dimsOf(op->getOperand(0)).back(); }
  static Dim batchOf(mlir::Operation *op);

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value row(unsigned i) { return eval.add(group, eval.i64(i * groups)); }
  unsigned rowsEach() const { return rows; }
  /// Declares a tile in shared memory. Its rows are padded by one element, so that the elements of a column are in different
  /// banks.
  mlir::Value tile(llvm::StringRef name) { return frame.shared(name, element, kTile * (kTile + 1)); }
  mlir::Value inTile(mlir::Value row, mlir::Value column) { return eval.add(eval.mul(row, eval.i64(kTile + 1)), column); }
  mlir::Value inMatrix(mlir::Value row, mlir::Value column) { return eval.add(eval.mul(row, extent), column); }
  /// Fills a tile: element (row, column) is from(row, column) if isThere(row, column) holds, else `otherwise`. Adjacent threads
  /// have adjacent elements of a row if `alongRows`, else of a column.
  void fill(mlir::Value tile, bool alongRows, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> isThere,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> from, mlir::Value otherwise);
  /// Returns total - factor * value.
  mlir::Value less(mlir::Value total, mlir::Value factor, mlir::Value value) {
    return frame.multiplyAdd(mlir::arith::NegFOp::create(b, loc, factor), value, total);
  }
  mlir::Value divided(mlir::Value x, mlir::Value y) { return mlir::arith::DivFOp::create(b, loc, x, y); }
  mlir::Value ifThere(mlir::Value isThere, mlir::Value from, mlir::Value place, mlir::Value otherwise) {
    return either(isThere, element, [&] { return load(from, element, place); }, [&] { return otherwise; });
  }
  /// Tests whether the index of a row or column is in range.
  mlir::Value isInside(mlir::Value index) { return frame.isBelow(index, extent); }

  mlir::Type element;
  Dim size, batch;
  mlir::Value extent, zero;
  mlir::Value group, column; // the first row and the column of the thread's elements
  unsigned groups, rows;     // rows that the block's threads have at once; elements per thread
};

} // namespace lathe::gpu

#endif
