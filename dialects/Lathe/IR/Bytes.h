// What is too large for any memory, and bytes that are not there.
#ifndef LATHE_IR_BYTES_H
#define LATHE_IR_BYTES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Refuses a tensor of more bytes than 63 bits tell: each dimension may fit and their product not, whatever sizes names have.
/// The text is `what`, the type, what is wrong and `hint`.
mlir::LogicalResult checkBytes(mlir::Location location, mlir::Type type, llvm::StringRef what, llvm::StringRef hint = "");

/// Checks that the elements of a constant exist, as many as its type has. Reports errors at `op`.
mlir::LogicalResult verifyElements(mlir::Operation *op, mlir::ElementsAttr value);

} // namespace lathe

#endif
