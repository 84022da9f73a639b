// The forms of kernels of one op that no loop nest describes.
#ifndef LATHE_CODEGEN_GPU_ROWS_ROWS_H
#define LATHE_CODEGEN_GPU_ROWS_ROWS_H

#include "codegen/GPU/Forms.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

namespace lathe::gpu {

KernelCode emitUpdateSlice(KernelOp kernel, DynamicUpdateSliceOp op, const FunctionPlace &place);
KernelCode emitScatter(KernelOp kernel, ScatterOp op, const FunctionPlace &place);
/// Of cumulative and linear_recurrence.
KernelCode emitScan(KernelOp kernel, mlir::Operation *op, const FunctionPlace &place);
KernelCode emitTriangularSolve(KernelOp kernel, TriangularSolveOp op, const FunctionPlace &place);
KernelCode emitCholesky(KernelOp kernel, CholeskyOp op, const FunctionPlace &place);

/// Whether a concatenation is all that its kernel does, of lines that are whole vectors.
bool joinsVectors(ConcatenateOp op);
KernelCode emitConcatenation(KernelOp kernel, ConcatenateOp op, const FunctionPlace &place);

/// Marks the kernel if that is sure.
void markInPlace(KernelOp kernel);

} // namespace lathe::gpu

#endif
