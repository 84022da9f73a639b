// The dialects `stablehlo`, `chlo` and `sdy`: what the parser of MLIR needs to read a program.
#ifndef STABLEHLO_STABLEHLO_H
#define STABLEHLO_STABLEHLO_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectRegistry.h"

namespace lathe {

/// Adds these dialects to a registry.
void registerStableHlo(mlir::DialectRegistry &registry);

/// Returns the list of integers of that name in dimension numbers; empty if it is missing.
llvm::ArrayRef<int64_t> numbersIn(mlir::DictionaryAttr dimensions, llvm::StringRef name);
/// Returns the only integer of a list in dimension numbers; `otherwise` if it is missing.
int64_t numberIn(mlir::DictionaryAttr dimensions, llvm::StringRef name, int64_t otherwise = 0);

} // namespace lathe

#endif
