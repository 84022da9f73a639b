// What triangular_solve and cholesky share: matrices of one extent after another, tiles of them in shared memory, and a tile's
// elements in the registers of a block's threads.
#ifndef LATHE_CODEGEN_GPU_ROWS_MATRIX_H
#define LATHE_CODEGEN_GPU_ROWS_MATRIX_H

#include "codegen/GPU/Rows/RowKernel.h"

namespace lathe::gpu {

class MatrixKernel : protected RowKernel {
public:
  static constexpr int64_t kTile = 32; // rows of a tile, and its columns but for right-hand sides

  /// `columns` of a tile whose elements threads have: thread t has those of column t % columns in rows t / columns, and so on
  /// in steps of as many rows as the block has.
  MatrixKernel(KernelOp kernel, mlir::Operation *op, const FunctionPlace &place, unsigned threads, int64_t columns);

  /// The size of square matrices; a number if it is known.
  static Dim sizeOf(mlir::Operation *op) { return dimsOf(op->getOperand(0)).back(); }
  static Dim batchOf(mlir::Operation *op);

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value row(unsigned i) { return eval.add(group, eval.i64(i * groups)); }
  unsigned rowsEach() const { return rows; }
  /// A tile in shared memory, one element wider than it is, so that a column's elements lie in different banks.
  mlir::Value tile(llvm::StringRef name) { return frame.shared(name, element, kTile * (kTile + 1)); }
  mlir::Value inTile(mlir::Value row, mlir::Value column) { return eval.add(eval.mul(row, eval.i64(kTile + 1)), column); }
  mlir::Value inMatrix(mlir::Value row, mlir::Value column) { return eval.add(eval.mul(row, extent), column); }
  /// Fills a tile: element (row, column) is what `from` gives where `isThere` holds, else `otherwise`. Threads that are
  /// neighbours have neighbours along a row, or down a column.
  void fill(mlir::Value tile, bool alongRows, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> isThere,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> from, mlir::Value otherwise);
  /// total - factor * value
  mlir::Value less(mlir::Value total, mlir::Value factor, mlir::Value value) {
    return frame.multiplyAdd(mlir::arith::NegFOp::create(b, loc, factor), value, total);
  }
  mlir::Value divided(mlir::Value x, mlir::Value y) { return mlir::arith::DivFOp::create(b, loc, x, y); }
  mlir::Value ifThere(mlir::Value isThere, mlir::Value from, mlir::Value place, mlir::Value otherwise) {
    return either(isThere, element, [&] { return load(from, element, place); }, [&] { return otherwise; });
  }
  /// Whether a row or column of the matrix is in it.
  mlir::Value isInside(mlir::Value index) { return frame.isBelow(index, extent); }

  mlir::Type element;
  Dim size, batch;
  mlir::Value extent, zero;
  mlir::Value group, column; // of the thread's elements: its first row, its column
  unsigned groups, rows;     // rows that the block's threads have at once, and of one thread
};

} // namespace lathe::gpu

#endif
