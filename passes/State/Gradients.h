// The loss and the gradients of a lathe.minimize.
#ifndef LATHE_STATE_GRADIENTS_H
#define LATHE_STATE_GRADIENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/State/StateBuilder.h"

namespace lathe::state {

struct Gradients {
  mlir::Value loss;
  llvm::SmallVector<mlir::Value> written;   // the variables that the loss writes, after it
  llvm::SmallVector<mlir::Value> gradients; // one for each of `wrt`
};

/// Emits the loss of a minimize and its gradients by the arguments `wrt`. `arguments` are the operands of the op, then the
/// values of the variables that the loss reads. With micro-batches these are means, which a scan sums up; gradients of halves
/// are f32 then.
Gradients emitGradients(StateBuilder &b, MinimizeOp op, mlir::func::FuncOp loss, llvm::ArrayRef<mlir::Value> arguments,
                        llvm::ArrayRef<int64_t> wrt);

} // namespace lathe::state

#endif
