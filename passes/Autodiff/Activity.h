// Finds the values of a body that carry a tangent.
#ifndef LATHE_AUTODIFF_ACTIVITY_H
#define LATHE_AUTODIFF_ACTIVITY_H

#include "passes/Autodiff/Rules.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe::autodiff {

/// A value is active if it is a float that depends on a marked argument and on which a wanted result depends, both through ops
/// whose derivative is not always zero.
class Activity {
public:
  /// Fails, with the path as notes, at an op without a rule through which a derivative would have to pass. The notes name
  /// `function`, the origin of the body.
  mlir::LogicalResult run(const Rules &rules, mlir::func::FuncOp function, Body &body, llvm::ArrayRef<bool> markedArguments,
                          llvm::ArrayRef<bool> wantedYields);

  bool isActive(mlir::Value value) const { return active.contains(value); }
  bool isActive(mlir::Operation *op) const {
    return llvm::any_of(op->getResults(), [&](mlir::Value result) { return isActive(result); });
  }

private:
  llvm::DenseSet<mlir::Value> active; // only looked up, never iterated
};

} // namespace lathe::autodiff

#endif
