// Running totals with twice the digits of their terms, for sums whose results along the way are needed.
#ifndef LATHE_CODEGEN_CPU_SUMS_SPLITSUM_H
#define LATHE_CODEGEN_CPU_SUMS_SPLITSUM_H

#include "codegen/CPU/Sums/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace lathe::cpu {

/// A total as the sum of two values. Terms are added to `low`. carryUp() moves the digits that `high` can hold from `low` to
/// `high`, exactly. If that happens every kTermOrder.chain terms, the error of the total is that of one chain, for any number
/// of terms.
struct SplitSum {
  mlir::Value high, low;
};

/// Returns the same total with `high` rounded to nearest. `low` is the rounding error, or 0 if `high` is infinite or NaN.
SplitSum carryUp(mlir::OpBuilder &builder, mlir::Location location, SplitSum sum);

/// A total of scalars that are added one by one: f32 are added up in f64. Of f64 the rounding errors are added up beside the
/// total, so that an addition waits only for the one before it.
class ScalarTotal {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  ScalarTotal(mlir::OpBuilder &builder, mlir::Location location, mlir::Type element)
      : b(builder), loc(location), element(element) {}

  /// Returns the values that hold a total of 0.
  Values zero() const;
  Values add(const Values &total, mlir::Value term) const;
  /// Returns the total as an element.
  mlir::Value rounded(const Values &total) const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type element;
};

} // namespace lathe::cpu

#endif
