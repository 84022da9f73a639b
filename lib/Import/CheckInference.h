// Reports the errors that inference finds in a graph that already has faulty ops.
#ifndef LATHE_IMPORT_CHECKINFERENCE_H
#define LATHE_IMPORT_CHECKINFERENCE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// Reports the errors of expanding composites and inferring dimensions in a module that checkGraph refused. The `faulty` ops
/// are removed first: their results fit every use. The module is not changed.
void checkInference(mlir::ModuleOp module, const llvm::DenseSet<mlir::Operation *> &faulty);

/// The same for a module in which lathe-expand-std refused composites and left their uses: these are the faulty ops.
void checkInferenceBehindStd(mlir::ModuleOp module);

} // namespace lathe

#endif
