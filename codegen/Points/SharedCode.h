// Functions of a kernel's module that several kernels call, for code that takes long to compile.
#ifndef LATHE_CODEGEN_POINTS_SHAREDCODE_H
#define LATHE_CODEGEN_POINTS_SHAREDCODE_H

#include "mlir/IR/Builders.h"

namespace lathe {

/// Returns the results of a call of the function `symbol` of the kernel's module. If there is none, creates it with the code
/// that `body` emits from its arguments.
llvm::SmallVector<mlir::Value> callShared(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef symbol,
                                          llvm::ArrayRef<mlir::Value> operands,
                                          llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::Value>)> body);

} // namespace lathe

#endif
