// Moves transposes so that they meet and cancel.
#ifndef LATHE_PASSES_TRANSPOSES_TRANSPOSES_H
#define LATHE_PASSES_TRANSPOSES_TRANSPOSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Transposes/Transposes.h.inc"

} // namespace lathe

#endif
