// What a module must be before the passes may look at it.
#ifndef LATHE_IMPORT_CHECKGRAPH_H
#define LATHE_IMPORT_CHECKGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// Verifies every op and names all that are wrong, not just the first: those that are no op of a graph, those that break a
/// constraint, functions of anything but tensors, and tensors whose size does not fit into 63 bits. Says nothing of ops in
/// `faulty`, and of what refers to them by name; adds those that are wrong.
mlir::LogicalResult checkGraph(mlir::ModuleOp module, llvm::DenseSet<mlir::Operation *> &faulty);
mlir::LogicalResult checkGraph(mlir::ModuleOp module);

} // namespace lathe

#endif
