// Masked stores of one lane.
#ifndef LATHE_CODEGEN_EMIT_SINGLELANESTORES_H
#define LATHE_CODEGEN_EMIT_SINGLELANESTORES_H

#include "llvm/IR/Module.h"

namespace lathe {

/// Replaces each masked store whose constant mask has one lane by a plain store, and removes those without lanes. For AVX-512,
/// LLVM 22 itself makes such a store, but with a wrong width: it overwrites the memory after a truncated lane.
void storeSingleLanes(llvm::Module &module);

} // namespace lathe

#endif
