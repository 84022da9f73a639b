// Reports what inference finds wrong in a graph of which some ops are wrong already.
#ifndef LATHE_IMPORT_CHECKINFERENCE_H
#define LATHE_IMPORT_CHECKINFERENCE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// Reports the mistakes that expansion of composites and inference of dimensions find in a module that checkGraph refused, with
/// the `faulty` ops taken out: their results fit every use. The module stays as it is.
void checkInference(mlir::ModuleOp module, const llvm::DenseSet<mlir::Operation *> &faulty);

/// The same for a module in which uses of composites are left, because lathe-expand-std refused them: these are the faulty ops.
void checkInferenceBehindStd(mlir::ModuleOp module);

} // namespace lathe

#endif
