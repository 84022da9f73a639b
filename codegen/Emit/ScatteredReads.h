// Vectors whose lanes are read at scattered addresses.
#ifndef LATHE_CODEGEN_EMIT_SCATTEREDREADS_H
#define LATHE_CODEGEN_EMIT_SCATTEREDREADS_H

#include "llvm/IR/Module.h"

namespace lathe {

/// Replaces gathers of eight lanes or more by a scalar load for each lane. Without AVX-512, LLVM tests each lane's bit of the
/// mask, and takes each address out of a vector of pointers; the instructions of AVX-512 take 1.2 to 1.8 times as long as
/// scalar loads on a Zen 4. Here one test decides whether the mask has all lanes, which leads to loads that need no tests, and
/// a lane's address is computed from the lane's index. Otherwise the gather is done as before. Narrower gathers are those of
/// remainder loops, whose masks rarely have all lanes.
void readLanes(llvm::Module &module);

} // namespace lathe

#endif
