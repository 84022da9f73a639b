// Pairwise sums of numbered vectors that are added one by one.
#ifndef LATHE_CODEGEN_CPU_SUMS_PAIRSUMS_H
#define LATHE_CODEGEN_CPU_SUMS_PAIRSUMS_H

#include "codegen/CPU/Sums/SumOrder.h"
#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// A binary counter of the values added, kept on a function's stack: digit d holds the sum of 2^d values.
class PairSums {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Prepares sums of values of these types, of at most `most` values if that is known. `frame` emits into `function`.
  PairSums(CodeFrame &frame, mlir::Operation *function, mlir::TypeRange types, std::optional<int64_t> most);

  /// Adds the values with this number; the numbers must be 0, 1, 2 and so on.
  void add(const Values &values, mlir::Value number);
  /// Returns the sum of the `count` values that were added, followed by `last`.
  Values with(const Values &last, mlir::Value count);

private:
  Values digit(mlir::Value number);
  Values valuesOf(mlir::Value number);
  Values sum(const Values &first, const Values &second);

  CodeFrame &frame;
  PointEvaluator &eval;
  llvm::SmallVector<mlir::Type> types;
  Values memory; // for each type, one value per digit
};

} // namespace lathe::cpu

#endif
