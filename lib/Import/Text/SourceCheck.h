// Checks source text before it is parsed.
#ifndef LATHE_IMPORT_TEXT_SOURCECHECK_H
#define LATHE_IMPORT_TEXT_SOURCECHECK_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

namespace lathe {

/// Refuses text that would exhaust a recursive parser's stack or its number arithmetic: more than 1000 open brackets, or
/// numbers of more than 65536 digits.
mlir::LogicalResult checkSource(llvm::StringRef text, llvm::StringRef name, mlir::MLIRContext &context);

} // namespace lathe

#endif
