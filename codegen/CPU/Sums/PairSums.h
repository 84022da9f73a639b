// Sums in pairs of numbered vectors, which come one by one.
#ifndef LATHE_CODEGEN_CPU_SUMS_PAIRSUMS_H
#define LATHE_CODEGEN_CPU_SUMS_PAIRSUMS_H

#include "codegen/Points/PointEvaluator.h"

namespace lathe::cpu {

/// The digits of a binary counter, each with the sum of as many values as it stands for. They are on the stack of a function.
class PairSums {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Sums of values of these types; of at most `most` of them, where that is known. `function` is the one whose code `eval`
  /// writes.
  PairSums(PointEvaluator &eval, mlir::Operation *function, mlir::TypeRange types, std::optional<int64_t> most);

  /// Adds the values that have this number: 0, then 1, and so on.
  void add(const Values &values, mlir::Value number);
  /// The sum of `count` values that were added, and of `last` behind them.
  Values with(const Values &last, mlir::Value count);

private:
  Values digit(mlir::Value number);
  Values sum(const Values &first, const Values &second);

  PointEvaluator &eval;
  llvm::SmallVector<mlir::Type> types;
  Values memory; // of one value of each digit, for each type
};

} // namespace lathe::cpu

#endif
