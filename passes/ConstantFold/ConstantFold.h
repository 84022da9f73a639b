// Computes ops on constants at compile time.
#ifndef LATHE_PASSES_CONSTANTFOLD_CONSTANTFOLD_H
#define LATHE_PASSES_CONSTANTFOLD_CONSTANTFOLD_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/ConstantFold/ConstantFold.h.inc"

} // namespace lathe

#endif
