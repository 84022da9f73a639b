// A kernel of nests as one function of loops and vectors.
#ifndef LATHE_CODEGEN_CPU_KERNELEMITTER_H
#define LATHE_CODEGEN_CPU_KERNELEMITTER_H

#include "codegen/Points/VectorTarget.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe::cpu {

/// What a caller must know of a kernel's code: `void name(void *closure, i64 slot, i64 begin, i64 end)`.
/// The closure is an array of 8-byte words: pointers of the inputs, of the outputs, then the values of `symbols`.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  llvm::SmallVector<std::string> symbols;
  /// The parallel loop runs over ceil(extent / unit) pieces of independent work.
  Dim extent = Dim(1);
  int64_t unit = 1;
  /// Scalar operations in all, for deciding whether threads pay.
  Dim work = Dim(1);
};

/// Whether emitKernel takes this op of a kernel as it is, not as a nest.
bool hasOwnEmitter(mlir::Operation *op, const VectorTarget &target);

/// Emits the function at the end of `module`. The kernel's body holds nests and at most one op with an emitter of its own, all
/// results have one shape, and there is at most one nest with a reduction, whose result the results may be made of; or it is a
/// loop over rows (kRowsAttr).
mlir::FailureOr<KernelCode> emitKernel(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name,
                                       const VectorTarget &target);

} // namespace lathe::cpu

#endif
