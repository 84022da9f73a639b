// Forward mode: tangents beside primals.
#ifndef LATHE_AUTODIFF_JVP_H
#define LATHE_AUTODIFF_JVP_H

#include "mlir/IR/IRMapping.h"
#include "passes/Autodiff/Activity.h"

namespace lathe::autodiff {

/// Values in a builder's block, and their tangents; a null tangent is a symbolic zero.
struct Dual {
  llvm::SmallVector<mlir::Value> primals, tangents;
};

/// Maps the values of a body to their primals and tangents in a builder's block.
class DualMap {
public:
  void map(mlir::ValueRange values, const Dual &become);
  void map(mlir::Value value, mlir::Value primal, mlir::Value tangent);

  mlir::Value primal(mlir::Value value) const { return primals.lookup(value); }
  mlir::Value tangent(mlir::Value value) const { return tangents.lookup(value); }
  Dual lookup(mlir::ValueRange values) const;
  /// Maps operands and results when the op itself is cloned.
  mlir::IRMapping &getPrimals() { return primals; }

private:
  mlir::IRMapping primals;
  llvm::DenseMap<mlir::Value, mlir::Value> tangents;
};

/// Emits the piece for the given arguments, each active op followed by its tangent. Returns the piece's yields.
mlir::FailureOr<Dual> jvp(const Rules &rules, Emit &e, const Piece &piece, const Activity &activity, const Dual &arguments);

/// Emits an active control op on primals and tangents together. For each group, arguments, operands and results of the new op
/// are the primals, then the tangents of the active ones.
mlir::LogicalResult jvpControl(const Rules &rules, Emit &e, mlir::Operation *op, const Activity &activity, DualMap &values);

/// Emits an active call by the derivative rule of its function.
mlir::LogicalResult jvpCall(const Rules &rules, Emit &e, mlir::func::CallOp call, const Activity &activity, DualMap &values);

} // namespace lathe::autodiff

#endif
