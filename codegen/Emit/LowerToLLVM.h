// Lowers kernels in scf, arith and vector to LLVM IR; every instruction has one line of the graph.
#ifndef LATHE_CODEGEN_EMIT_LOWERTOLLVM_H
#define LATHE_CODEGEN_EMIT_LOWERTOLLVM_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace lathe {

/// Adds to each llvm.func a DWARF subprogram in the graph `source` of `folder`, and to each op exactly one location in it.
void attachDebugLines(mlir::ModuleOp module, llvm::StringRef source, llvm::StringRef folder, mlir::LLVM::DIEmissionKind kind);

/// Lowers to the LLVM dialect.
mlir::LogicalResult lowerToLLVMDialect(mlir::ModuleOp module);

/// Translates to LLVM IR; returns null with a diagnostic on failure.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context, llvm::StringRef source);

} // namespace lathe

#endif
