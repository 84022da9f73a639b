// Vector accesses: the contiguous elements that a thread can load and store in 16 bytes.
#ifndef LATHE_CODEGEN_GPU_THREADS_VECTORS_H
#define LATHE_CODEGEN_GPU_THREADS_VECTORS_H

#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::gpu {

inline constexpr int64_t kVectorBytes = 16;

/// Marks the kernel with kUnalignedAttr if one of its buffers may not be aligned to 16 bytes.
void markUnaligned(KernelOp kernel);

/// Estimates the scalar operations per point of all the kernel's nests except `except`.
unsigned operationsOf(KernelOp kernel, NestOp except = {});

/// Returns how many contiguous elements along the last of these dimensions all of the kernel's nests read and write as aligned
/// vectors; 1 if one of them does not. The nest `except` (may be null) is ignored. The number changes no result.
unsigned vectorLanes(KernelOp kernel, llvm::ArrayRef<Dim> full, NestOp except = {});

} // namespace lathe::gpu

#endif
