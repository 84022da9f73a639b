// State as values: variables become arguments and results, optimisers become ops.
#ifndef LATHE_STATE_STATE_H
#define LATHE_STATE_STATE_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace lathe {

/// Expands every lathe.minimize, makes @init from the variables' initialisers unless the module defines it, and turns reads and
/// writes into trailing arguments and results that carry `lathe.state`. Requires inferred types; must run before any pass that
/// may reorder or remove ops. Guarantees that no read, write or minimize is left; lathe.variable ops stay as declarations.
std::unique_ptr<mlir::Pass> createLowerStatePass();

void registerStatePasses();

} // namespace lathe

#endif
