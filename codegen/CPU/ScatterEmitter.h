// lathe.scatter: a copy, then one update after the other.
#ifndef LATHE_CODEGEN_CPU_SCATTEREMITTER_H
#define LATHE_CODEGEN_CPU_SCATTEREMITTER_H

#include "codegen/CPU/KernelEmitter.h"
#include "mlir/IR/Builders.h"

namespace lathe::cpu {

/// The body of a kernel whose only op is this scatter of its block arguments.
mlir::FailureOr<KernelCode> emitScatter(KernelOp kernel, ScatterOp scatter, mlir::LLVM::LLVMFuncOp function,
                                        const Target &target, mlir::OpBuilder &builder);

} // namespace lathe::cpu

#endif
