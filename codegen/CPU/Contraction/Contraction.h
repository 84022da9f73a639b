// dot_general as register tiles: rows from lhs, columns the neighbours in rhs.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_CONTRACTION_H
#define LATHE_CODEGEN_CPU_CONTRACTION_CONTRACTION_H

#include "codegen/CPU/KernelEmitter.h"
#include "mlir/IR/Builders.h"

namespace lathe::cpu {

/// Whether this op, which stands in a kernel, has a tile emitter: a lathe.dot_general over the kernel's inputs that is a batch
/// of matrix products with neighbouring columns. What else the kernel does is its epilogue.
bool hasContractionEmitter(mlir::Operation *op);

/// Emits a kernel around such an op. Every element is a sum of chains of fused multiply-adds (of products and sums without FMA)
/// in the order kProductOrder of the contracted index: tiles, pieces, versions and threads do not change a bit.
mlir::FailureOr<KernelCode> emitContraction(KernelOp kernel, DotGeneralOp hero, mlir::LLVM::LLVMFuncOp function,
                                            const VectorTarget &target, mlir::OpBuilder &builder);

} // namespace lathe::cpu

#endif
