// Replaces data-decided sizes by bounds and counts of valid elements.
#ifndef LATHE_PASSES_DATASIZES_DATASIZES_H
#define LATHE_PASSES_DATASIZES_DATASIZES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/DataSizes/DataSizes.h.inc"

} // namespace lathe

#endif
