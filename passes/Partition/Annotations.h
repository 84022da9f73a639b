// Reads which dimensions of variables, arguments and results are divided.
#ifndef LATHE_PASSES_PARTITION_ANNOTATIONS_H
#define LATHE_PASSES_PARTITION_ANNOTATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Partition/Sharding.h"
#include "llvm/ADT/MapVector.h"

namespace lathe::partition {

/// The shardings of the module's variables, by name.
using Variables = llvm::MapVector<mlir::StringAttr, Sharding>;

/// The splits that a module and the options ask for.
struct Annotations {
  Variables variables;                         // of all variables
  llvm::SmallPtrSet<mlir::Attribute, 8> fixed; // those that were annotated
};

/// Reads "model=2". Fails with an error in the module.
mlir::FailureOr<Axes> readAxes(mlir::ModuleOp module, llvm::ArrayRef<std::string> texts);

/// Reads the annotations of variables and the options, each PATTERN:DIM@AXIS.
mlir::FailureOr<Annotations> readAnnotations(mlir::ModuleOp module, llvm::ArrayRef<std::string> options, const Axes &axes);

/// Reads the annotations of a function's arguments and results. Those that are state have the shardings of their variables.
mlir::FailureOr<llvm::SmallVector<Sharding>> argumentsOf(mlir::func::FuncOp function, const Variables &variables,
                                                         const Axes &axes);
mlir::FailureOr<llvm::SmallVector<Sharding>> resultsOf(mlir::func::FuncOp function, const Variables &variables,
                                                       const Axes &axes);

} // namespace lathe::partition

#endif
