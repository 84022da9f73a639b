// Checks for tensors that exceed any memory, and for missing bytes.
#ifndef LATHE_IR_BYTES_H
#define LATHE_IR_BYTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Refuses a tensor whose bytes do not fit into 63 bits: each dimension may fit while their product does not, whatever sizes
/// names have. The message is `what`, the type, the problem and `hint`.
mlir::LogicalResult checkBytes(mlir::Location location, mlir::Type type, llvm::StringRef what, llvm::StringRef hint = "");

/// Checks that the elements of a constant exist, as many as its type has. Reports errors at `op`.
mlir::LogicalResult verifyElements(mlir::Operation *op, mlir::ElementsAttr value);

} // namespace lathe

#endif
