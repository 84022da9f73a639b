// Kernels over rows (kRowsAttr): one loop over rows that threads share, several passes over each row, whose values stay in
// registers or in the first-level cache.
#ifndef LATHE_CODEGEN_CPU_PASSES_ROWPASSES_H
#define LATHE_CODEGEN_CPU_PASSES_ROWPASSES_H

#include "codegen/CPU/KernelEmitter.h"

namespace lathe::cpu {

KernelCode emitRowPasses(KernelOp kernel, mlir::LLVM::LLVMFuncOp function, const VectorTarget &target,
                         mlir::OpBuilder &builder);

} // namespace lathe::cpu

#endif
