// Convolutions as register tiles: rows are images or neighbouring pixels, columns output channels.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_CONVOLUTION_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_CONVOLUTION_H

#include "codegen/CPU/KernelEmitter.h"
#include "mlir/IR/Builders.h"

namespace lathe::cpu {

/// Whether this op, which stands in a kernel, has a tile emitter: lathe.conv and lathe.conv_filter_grad over the kernel's
/// inputs, with static spatial extents; groups have several filters, or one channel and one filter each. What else the kernel
/// does is its epilogue.
bool hasConvolutionEmitter(mlir::Operation *op, const VectorTarget &target);

/// Emits a kernel around such an op. Every element is a sum of chains of fused multiply-adds (of products and sums without FMA)
/// in the order kProductOrder of the sum's definition: tiles, pieces, versions and threads do not change a bit.
mlir::FailureOr<KernelCode> emitConvolution(KernelOp kernel, mlir::Operation *hero, mlir::LLVM::LLVMFuncOp function,
                                            const VectorTarget &target, mlir::OpBuilder &builder);

} // namespace lathe::cpu

#endif
