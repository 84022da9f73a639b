// Finds the sharding of each value of a function from those of its arguments.
#ifndef LATHE_PASSES_PARTITION_PROPAGATE_H
#define LATHE_PASSES_PARTITION_PROPAGATE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Partition/Plan.h"

namespace lathe::partition {

/// The plans of all ops of a function, those in regions and the ends of blocks included, and the shardings of all values.
struct FunctionPlan {
  llvm::DenseMap<mlir::Value, Sharding> values;
  llvm::DenseMap<mlir::Operation *, Plan> ops;
};

/// Plans a function. `arguments` and `results` have the sharding of each.
FunctionPlan propagate(mlir::func::FuncOp function, llvm::ArrayRef<Sharding> arguments, llvm::ArrayRef<Sharding> results,
                       const Axes &axes);

} // namespace lathe::partition

#endif
