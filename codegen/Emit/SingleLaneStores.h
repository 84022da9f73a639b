// Masked stores of one lane.
#ifndef LATHE_CODEGEN_EMIT_SINGLELANESTORES_H
#define LATHE_CODEGEN_EMIT_SINGLELANESTORES_H

#include "llvm/IR/Module.h"

namespace lathe {

/// Makes a plain store of each masked store whose constant mask has one lane, and nothing of those that have none. LLVM 22
/// makes one for AVX-512 that forgets that the lane was truncated, and writes over what lies behind it.
void storeSingleLanes(llvm::Module &module);

} // namespace lathe

#endif
