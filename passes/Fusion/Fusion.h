// Groups ops into kernels.
#ifndef LATHE_PASSES_FUSION_FUSION_H
#define LATHE_PASSES_FUSION_FUSION_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Fusion/Fusion.h.inc"

} // namespace lathe

#endif
