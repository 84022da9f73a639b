// Data-decided sizes: dimensions that lathe.set_dim_size names.
#ifndef LATHE_PASSES_DATASIZES_DECIDEDSIZES_H
#define LATHE_PASSES_DATASIZES_DECIDEDSIZES_H

#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <set>

namespace lathe::datasizes {

/// The data-decided sizes of a function, by name.
class DecidedSizes {
public:
  /// Collects the sizes. Refuses names that are taken.
  mlir::LogicalResult collect(mlir::func::FuncOp function);
  bool empty() const { return all.empty(); }

  bool isIn(const Dim &dim) const;
  /// True if the op's types or attributes contain a data-decided size.
  bool isIn(mlir::Operation *op) const;
  /// True if a dimension is largest where each data-decided size is largest: only then `bound` is its maximum.
  bool rises(const Dim &dim) const;
  /// Returns the dimensions of a tensor that depend on a data-decided size.
  llvm::SmallVector<int64_t> countedDims(mlir::Value value) const;
  /// Returns the dimension at its maximum.
  Dim bound(const Dim &dim) const { return dim.substitute(bounds); }
  const std::map<std::string, Dim> &getBounds() const { return bounds; }
  /// Refuses an op outside the branch or loop in which a size that it uses is known; once for each size.
  mlir::LogicalResult checkPlace(mlir::Operation *op);
  /// Returns the size of a dimension in the current run as a rank 0 i64, created at the builder's position; 0 if its expression
  /// is negative. Returns null after an error, if no ops compute the expression.
  mlir::Value sizeOf(const Dim &dim, mlir::OpBuilder &builder, mlir::Location location) const;
  /// Returns the value of an expression, which may be negative; otherwise as sizeOf.
  mlir::Value placeOf(const Dim &dim, mlir::OpBuilder &builder, mlir::Location location) const;

private:
  std::map<std::string, mlir::Value> all;
  std::map<std::string, Dim> bounds;
  std::set<std::string> told; // names that were refused
  llvm::SmallVector<std::string> namesIn(const Dim &dim) const;
  mlir::Value valueOf(const Dim &dim, mlir::OpBuilder &builder, mlir::Location location) const;
  mlir::Value valueOfName(llvm::StringRef name, mlir::OpBuilder &builder, mlir::Location location) const;
  mlir::Value valueOfFormula(const DerivedDim &formula, mlir::OpBuilder &builder, mlir::Location location) const;
  bool rises(const DerivedDim &formula) const;
  mlir::LogicalResult checkName(SetDimSizeOp op, const std::map<std::string, mlir::Location> &arguments);
};

/// Keeps the elements past a data-decided size out of an op's result, or refuses the op.
mlir::LogicalResult guard(mlir::Operation *op, const DecidedSizes &sizes);

/// Adds a result to an entry for each data-decided size in its results.
mlir::LogicalResult addCounts(mlir::func::FuncOp entry, const DecidedSizes &sizes);

} // namespace lathe::datasizes

#endif
