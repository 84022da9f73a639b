// Masked stores whose lanes are known.
#ifndef LATHE_CODEGEN_EMIT_MASKEDSTORES_H
#define LATHE_CODEGEN_EMIT_MASKEDSTORES_H

#include "llvm/IR/Module.h"

namespace lathe {

/// Replaces masked stores with constant masks by plain stores: of one lane, and of the first lanes where a masked store takes
/// longer than the few stores of 1, 2, 4 lanes that make up as many, which is so without AVX-512. Those without lanes
/// disappear. For AVX-512, LLVM 22 itself makes stores of one lane, but with a wrong width: they overwrite the memory after a
/// truncated lane.
void storeKnownLanes(llvm::Module &module);

} // namespace lathe

#endif
