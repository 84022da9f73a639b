// Derivatives of functions: lathe.jvp, lathe.vjp and lathe.value_and_grad become plain ops.
#ifndef LATHE_AUTODIFF_AUTODIFF_H
#define LATHE_AUTODIFF_AUTODIFF_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// Expands every derivative op of the module in place, innermost first. Requires that state is lowered and that all dimensions
/// are static or named; guarantees that no derivative op is left. Fails at an op that a derivative passes through and that has
/// no rule.
std::unique_ptr<mlir::Pass> createExpandDerivativesPass();

void registerAutodiffPasses();

} // namespace lathe

#endif
