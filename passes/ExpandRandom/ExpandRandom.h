// Expands distributions to random bits and arithmetic.
#ifndef LATHE_PASSES_EXPANDRANDOM_EXPANDRANDOM_H
#define LATHE_PASSES_EXPANDRANDOM_EXPANDRANDOM_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/ExpandRandom/ExpandRandom.h.inc"

} // namespace lathe

#endif
