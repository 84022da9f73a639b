// lathe.minimize: the variables that it updates, its slots, and the ops of a step.
#ifndef LATHE_STATE_OPTIMIZER_H
#define LATHE_STATE_OPTIMIZER_H

#include "passes/State/Variables.h"
#include "llvm/ADT/MapVector.h"

namespace lathe::state {

/// The variables that one minimize updates.
struct Step {
  llvm::SmallVector<VariableOp> parameters;
  VariableOp count; // Adam's number of steps
};

class Optimizer {
public:
  /// Knows the slots that an earlier plan has marked.
  explicit Optimizer(Variables &variables);

  /// Finds the parameters of each minimize of the module and declares their slots.
  mlir::LogicalResult plan(mlir::ModuleOp module);
  const Names &getSlots() const { return slots; }
  /// Marks the slots, so that a later plan of fewer functions names its slots in the same way.
  void markSlots() const;

  /// Replaces a minimize whose loss already has state arguments and results: a value_and_grad, writes of the variables that the
  /// loss writes, then one update for each parameter, with reads and writes of slots.
  void expand(MinimizeOp op, mlir::func::FuncOp loss);

private:
  mlir::LogicalResult planOne(MinimizeOp op);
  mlir::FailureOr<VariableOp> slot(MinimizeOp op, const llvm::Twine &name, mlir::RankedTensorType type);

  Variables &variables;
  llvm::DenseMap<mlir::Operation *, Step> steps;
  llvm::MapVector<mlir::ArrayAttr, VariableOp> counts; // by the names of parameters
  Names slots;
};

} // namespace lathe::state

#endif
