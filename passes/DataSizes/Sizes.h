// Sizes that data decides: dimensions that lathe.set_dim_size names.
#ifndef LATHE_PASSES_DATASIZES_SIZES_H
#define LATHE_PASSES_DATASIZES_SIZES_H

#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <set>

namespace lathe::datasizes {

/// All of a function, by their names.
class Sizes {
public:
  /// Refuses names that are taken.
  mlir::LogicalResult collect(mlir::func::FuncOp function);
  bool empty() const { return all.empty(); }

  bool isIn(const Dim &dim) const;
  /// True if one is in the op's types or attributes.
  bool isIn(mlir::Operation *op) const;
  /// True if a dimension is largest where each size that data decides is: only then `bound` is the most there can be.
  bool rises(const Dim &dim) const;
  /// The dimensions of a tensor whose size data decides.
  llvm::SmallVector<int64_t> countedDims(mlir::Value value) const;
  /// The dimension as wide as it may become.
  Dim bound(const Dim &dim) const { return dim.substitute(bounds); }
  const std::map<std::string, Dim> &getBounds() const { return bounds; }
  /// Refuses an op outside of the branch or loop in which a size that it depends on is known; each size once.
  mlir::LogicalResult checkPlace(mlir::Operation *op);
  /// Returns the size that a dimension has in a run, as a rank 0 i64, for an op that is made where the builder stands; 0 where
  /// its expression is negative. Null after an error: no ops compute the expression.
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

/// Keeps what lies behind a size that data decides out of an op's result, or refuses the op.
mlir::LogicalResult guard(mlir::Operation *op, const Sizes &sizes);

/// Gives an entry a result for each size that data decides in its results.
mlir::LogicalResult addCounts(mlir::func::FuncOp entry, const Sizes &sizes);

} // namespace lathe::datasizes

#endif
