// The part of a kernel's dimension that its code has to compute (dialects/Lathe/IR/SkippedKeys.h).
#ifndef LATHE_CODEGEN_CPU_TILES_SKIPPEDKEYS_H
#define LATHE_CODEGEN_CPU_TILES_SKIPPEDKEYS_H

#include "codegen/CPU/Tiles/Frame.h"
#include "dialects/Lathe/IR/SkippedKeys.h"

namespace lathe::cpu {

/// Returns the number of leading indices of a dimension that the kernel's code has to compute: all of the extent, or whole
/// steps of kKeysOfStep. Returns null if the kernel never skips indices of a dimension in this role.
mlir::Value keptKeys(KernelFrame &frame, KernelOp kernel, llvm::StringRef role, const Dim &extent);

/// Returns whether the kernel's first result has the memory of an input of its type, other than `operands`: such a kernel adds
/// the products of its operands to that input.
mlir::Value sharesMemory(KernelFrame &frame, KernelOp kernel, mlir::Type type, llvm::ArrayRef<mlir::Value> operands);

/// True if code that adds up or stores so many indices at a time has none left at the end of keptKeys.
inline bool fillsSteps(int64_t indices) { return kKeysOfStep % indices == 0; }

} // namespace lathe::cpu

#endif
