// Whether a thread can have several neighbouring elements at once, which 16-byte accesses of memory bring.
#ifndef LATHE_CODEGEN_GPU_THREADS_VECTORS_H
#define LATHE_CODEGEN_GPU_THREADS_VECTORS_H

#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::gpu {

inline constexpr int64_t kVectorBytes = 16;

/// Marks the kernel if a buffer of its may not be aligned to 16 bytes.
void markUnaligned(KernelOp kernel);

/// Scalar operations of a point of all the kernel's nests but `except`, roughly.
unsigned operationsOf(KernelOp kernel, NestOp except = {});

/// How many neighbours along the last of these dimensions all of the kernel's nests read and write as aligned vectors; 1 if one
/// does not. Nothing depends on it but how they come. What the nest `except` (may be null) reads does not come as they do.
unsigned vectorLanes(KernelOp kernel, llvm::ArrayRef<Dim> full, NestOp except = {});

} // namespace lathe::gpu

#endif
