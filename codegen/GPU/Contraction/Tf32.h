// Words of f32 as what tensor cores multiply: tf32, whose 11 bits of precision are the first ones of an f32.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_TF32_H
#define LATHE_CODEGEN_GPU_CONTRACTION_TF32_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// The nearest values of tf32, as the bits of f32. What is not finite stays so.
llvm::SmallVector<mlir::Value> nearestTf32(ThreadFrame &frame, llvm::ArrayRef<mlir::Value> words);

/// Each word as the nearest tf32 and, behind all of these, what is left of it, whose last bits tensor cores leave out: together
/// at most 2^-22 off. Of what is not finite, and of the largest numbers, one of both is a NaN or infinite.
llvm::SmallVector<mlir::Value> splitTf32(ThreadFrame &frame, llvm::ArrayRef<mlir::Value> words);

} // namespace lathe::gpu

#endif
