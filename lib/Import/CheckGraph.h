// Checks a module before the passes run.
#ifndef LATHE_IMPORT_CHECKGRAPH_H
#define LATHE_IMPORT_CHECKGRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// Verifies every op and reports all wrong ones, not just the first: ops that are not allowed in a graph, broken constraints,
/// functions of other types than tensors, and tensors whose size does not fit into 63 bits. Reports nothing for ops in `faulty`
/// and for ops that refer to them by name. Adds the wrong ops to `faulty`.
mlir::LogicalResult checkGraph(mlir::ModuleOp module, llvm::DenseSet<mlir::Operation *> &faulty);
mlir::LogicalResult checkGraph(mlir::ModuleOp module);

} // namespace lathe

#endif
