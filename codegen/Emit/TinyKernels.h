// Which kernels become code of the versions that run them.
#ifndef LATHE_CODEGEN_EMIT_TINYKERNELS_H
#define LATHE_CODEGEN_EMIT_TINYKERNELS_H

#include "codegen/Emit/EntryEmitter.h"

namespace lathe {

/// On functions that have code of kernels in them.
constexpr llvm::StringLiteral kHasKernelsAttr = "lathe-has-kernels";

/// Whether a kernel runs in each step of a loop, and computes so little, a few elements by a few instructions, that its call
/// costs as much. `code` is its function, not optimised yet.
bool isTinyInLoop(KernelOp kernel, const KernelSymbol &symbol, const llvm::Function &code);

} // namespace lathe

#endif
