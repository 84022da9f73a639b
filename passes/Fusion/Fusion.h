// Groups the ops of a graph into lathe.kernel regions.
#ifndef LATHE_PASSES_FUSION_FUSION_H
#define LATHE_PASSES_FUSION_FUSION_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// `lathe-fuse`. Requires: explicit broadcasts, no calls, state or derivative ops. Guarantees: a function's body is kernels,
/// constants and reshapes; every kernel has at most one reduction, and results of one shape, or is a loop over rows
/// (kRowsAttr). With `fuse` off every op is a kernel of its own.
std::unique_ptr<mlir::Pass> createFusePass(bool fuse = true);
void registerFusionPasses();

} // namespace lathe

#endif
