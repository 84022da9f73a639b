// Moves scans to the first dimension.
#ifndef LATHE_PASSES_SCANFIRSTDIM_SCANFIRSTDIM_H
#define LATHE_PASSES_SCANFIRSTDIM_SCANFIRSTDIM_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/ScanFirstDim/ScanFirstDim.h.inc"

} // namespace lathe

#endif
