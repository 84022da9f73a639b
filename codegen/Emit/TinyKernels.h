// The rule for kernels that are inlined into versions.
#ifndef LATHE_CODEGEN_EMIT_TINYKERNELS_H
#define LATHE_CODEGEN_EMIT_TINYKERNELS_H

#include "codegen/Emit/EntryEmitter.h"

namespace lathe {

/// Attribute of functions with inlined kernels.
constexpr llvm::StringLiteral kHasKernelsAttr = "lathe-has-kernels";

/// True if a function computes products that the back end contracts with their sums, each if that is its only use. Next to
/// other code, such as other inlined kernels or other steps of an unrolled loop, such a product might be merged with an equal
/// one and then be rounded.
bool hasContractedProducts(const llvm::Function &code);

/// True if a kernel runs in each step of a loop and computes so few elements, with so few instructions, that its call costs as
/// much. `code` is its function before optimisation.
bool isTinyInLoop(KernelOp kernel, const KernelSymbol &symbol, const llvm::Function &code);

} // namespace lathe

#endif
