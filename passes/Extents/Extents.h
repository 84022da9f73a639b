// Records extents that the sizes of a call must not make negative.
#ifndef LATHE_PASSES_EXTENTS_EXTENTS_H
#define LATHE_PASSES_EXTENTS_EXTENTS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Extents/Extents.h.inc"

} // namespace lathe

#endif
