// Conversion of f32 to TF32, which tensor cores multiply: an f32 with 11 bits of precision.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_TF32_H
#define LATHE_CODEGEN_GPU_CONTRACTION_TF32_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

/// Returns the nearest TF32 values as bits of f32. Values that are not finite stay so.
llvm::SmallVector<mlir::Value> nearestTf32(ThreadFrame &frame, llvm::ArrayRef<mlir::Value> words);

/// Returns the nearest TF32 value of each word and, after all of these, the remainders, whose last bits tensor cores ignore.
/// Both together have an error of at most 2^-22. For a value that is not finite, and for the largest numbers, one of both is
/// infinite or a NaN.
llvm::SmallVector<mlir::Value> splitTf32(ThreadFrame &frame, llvm::ArrayRef<mlir::Value> words);

} // namespace lathe::gpu

#endif
