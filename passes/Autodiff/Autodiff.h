// Functions transformed: lathe.jvp, lathe.vjp, lathe.value_and_grad and lathe.vmap become plain ops.
#ifndef LATHE_AUTODIFF_AUTODIFF_H
#define LATHE_AUTODIFF_AUTODIFF_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// Expands every derivative op and vmap of the module in place, innermost first. Requires that state is lowered and that all
/// dimensions are static or named; guarantees that none of them is left. Fails at an op that has no rule for what passes
/// through it. Unless it `hoists`, what the steps of a loop compute alike stays in the loop.
std::unique_ptr<mlir::Pass> createExpandDerivativesPass(bool hoists = true);

void registerAutodiffPasses();

} // namespace lathe

#endif
