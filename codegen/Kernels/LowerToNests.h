// Lowers the ops of a kernel to lathe.nest, the representation that CPU and GPU emitters share.
#ifndef LATHE_CODEGEN_KERNELS_LOWERTONESTS_H
#define LATHE_CODEGEN_KERNELS_LOWERTONESTS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe {

/// Replaces the ops of a kernel's body by nests. It leaves ops with their own emitter: those with OwnKernelTrait, and those
/// that the target `keeps`.
mlir::LogicalResult lowerToNests(KernelOp kernel, llvm::function_ref<bool(mlir::Operation *)> keeps = {});

/// Emits the scalar computation of an elementwise op on scalars of the operands' element types.
mlir::Value buildScalar(mlir::Operation *op, mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange operands);

/// Returns the access map of the nest that a reshape between known extents becomes.
mlir::AffineMap mapOfReshape(mlir::RankedTensorType from, mlir::RankedTensorType to);

// One function per family of ops. Each returns the nest that replaces the op, or null if the op is not of the family.
mlir::Value lowerElementwise(mlir::Operation *op, mlir::OpBuilder &builder);
mlir::Value lowerShape(mlir::Operation *op, mlir::OpBuilder &builder);
mlir::Value lowerReduction(mlir::Operation *op, mlir::OpBuilder &builder);
mlir::Value lowerConvolution(mlir::Operation *op, mlir::OpBuilder &builder);
mlir::Value lowerIndexing(mlir::Operation *op, mlir::OpBuilder &builder);
mlir::Value lowerWindow(mlir::Operation *op, mlir::OpBuilder &builder);

} // namespace lathe

#endif
