// The checks that `lathec --check` adds to a graph.
#ifndef LATHE_PASSES_CHECKS_CHECKS_H
#define LATHE_PASSES_CHECKS_CHECKS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Checks/Checks.h.inc"

} // namespace lathe

#endif
