// Calls whose operands have numbers where the function has open sizes.
#ifndef LATHE_IMPORT_OPENCALLS_H
#define LATHE_IMPORT_OPENCALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// Puts casts around calls and derivatives of private functions whose types differ in that one of them has a number for the
/// other's `?`: a helper of tensor<?xf64> takes a tensor<1xf64>, since each list of types makes an instance of it. Inference of
/// dimensions takes the casts away (InferDims). Refuses casts that are there already, and adds them to `faulty`; leaves calls
/// in it alone.
mlir::LogicalResult openCalls(mlir::ModuleOp module, llvm::DenseSet<mlir::Operation *> &faulty);

} // namespace lathe

#endif
