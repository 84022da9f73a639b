// Extents inside a function that the sizes given at run time must keep from being negative.
#ifndef LATHE_PASSES_EXTENTS_EXTENTS_H
#define LATHE_PASSES_EXTENTS_EXTENTS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// `lathe-require-extents`. Notes on each function, as its `lathe.requires`, the extents that may be negative within the bounds
/// of its dimensions, with the op that has each. Requires inferred dimensions, and no call or derivative left, so that a public
/// function has all of its ops.
std::unique_ptr<mlir::Pass> createRequireExtentsPass();
void registerExtentsPasses();

} // namespace lathe

#endif
