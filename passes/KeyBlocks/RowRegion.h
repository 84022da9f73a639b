// Ops between products of thin matrices, such as attention's in a derivative, that can be computed in blocks of rows.
#ifndef LATHE_PASSES_KEYBLOCKS_ROWREGION_H
#define LATHE_PASSES_KEYBLOCKS_ROWREGION_H

#include "passes/KeyBlocks/BlockOps.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {

/// A region of ops on matrices with a row for each row of the block loop, such as scores and their cotangents. Its results are
/// products of such a matrix and a thin one. A result either has the rows, or is a sum over all rows.
class RowRegion {
public:
  /// Finds the region around a matrix. `sum` is a product whose operand 0 or 1 it is, and which adds up its rows.
  RowRegion(DotGeneralOp sum, unsigned operand);

  /// Collects the ops. Returns false if they cannot be computed in blocks.
  bool collect();
  /// Lets blocks have a part of the columns only. Returns false if there are no columns. The ops must have been collected,
  /// which finds the sums along rows that are inputs, and must be collected again.
  bool divideColumns();

  /// Returns the extents of the dimensions that loops divide, the outermost first. The last one counts rows.
  llvm::ArrayRef<int64_t> getExtents() const { return extents; }
  /// Returns the number of the loop that divides columns, the next to last one; kUndivided if there is none.
  int64_t getColumnsLoop() const { return columnsLoop; }
  mlir::Value getMatrix() const { return matrix; }
  /// Returns the ops that a step computes before its results, operands first.
  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs.getArrayRef(); }
  llvm::ArrayRef<mlir::Value> getResults() const { return results; }
  llvm::ArrayRef<int64_t> loopDims(mlir::Value value) const { return dims.find(value)->second; }
  /// True if an op's value is read outside of the region as well, so that the loop computes it again.
  bool isShared(mlir::Operation *op) const { return shared.contains(op); }
  /// True if a loop's steps add up a result: it does not divide the result.
  bool addsUp(mlir::Value result, int64_t loop) const { return !llvm::is_contained(loopDims(result), loop); }

private:
  bool visit(mlir::Value value, const LoopDims &of);
  bool addResult(DotGeneralOp result);
  bool isOfRows(llvm::ArrayRef<int64_t> of) const { return llvm::is_contained(of, int64_t(extents.size()) - 1); }
  /// True if a value has as many elements for each row as the matrix, or more.
  bool isWide(mlir::Value value, llvm::ArrayRef<int64_t> of) const;
  /// Returns the elements that a value has in a row of all columns; 0 if they are not known.
  int64_t elementsOfRow(mlir::Value value, llvm::ArrayRef<int64_t> of) const;
  bool dependsOnMatrix(mlir::Value value, llvm::ArrayRef<int64_t> of) const;
  void findShared();
  bool addResults();
  bool dropResultsBeforeInputs();
  bool stopAtSharedSums();

  DotGeneralOp sum;
  mlir::Value matrix;
  LoopDims ofMatrix;
  llvm::SmallVector<int64_t> extents;
  int64_t columnsLoop = kUndivided;
  int64_t width = 1; // elements of the matrix for each row
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallSetVector<mlir::Value, 8> inputs;
  llvm::SmallVector<mlir::Value> results; // of products
  llvm::DenseMap<mlir::Value, LoopDims> dims;
  llvm::SmallPtrSet<mlir::Operation *, 16> inside, shared;
  llvm::SmallPtrSet<mlir::Operation *, 4> refused; // results that inputs depend on
  llvm::DenseSet<mlir::Value> stops;               // values that are inputs although the loop could compute them
};

} // namespace lathe

#endif
