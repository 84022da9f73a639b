// The words of threefry2x32 in kernels.
#ifndef LATHE_CODEGEN_POINTS_RANDOMWORDS_H
#define LATHE_CODEGEN_POINTS_RANDOMWORDS_H

#include "mlir/IR/Builders.h"

namespace lathe {

/// Emits both words of threefry2x32 for the key's words, the counter and the stream: i32, or vectors of as many lanes.
std::pair<mlir::Value, mlir::Value> emitThreefry(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> operands);

/// The same by a call of a function of the kernel's module, which all kernels share. Words that all lanes have may be scalars.
std::pair<mlir::Value, mlir::Value> callThreefry(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> operands);

} // namespace lathe

#endif
