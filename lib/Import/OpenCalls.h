// Calls whose operands have numbers where the function has open sizes.
#ifndef LATHE_IMPORT_OPENCALLS_H
#define LATHE_IMPORT_OPENCALLS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// Puts casts around calls and derivatives of private functions if a type has a number where the other one has `?`. A helper
/// for tensor<?xf64> accepts a tensor<1xf64>, since each list of types makes an instance of it. Dimension inference removes the
/// casts (InferDims). Refuses casts that exist already, and adds them to `faulty`; skips calls in `faulty`.
mlir::LogicalResult openCalls(mlir::ModuleOp module, llvm::DenseSet<mlir::Operation *> &faulty);

} // namespace lathe

#endif
