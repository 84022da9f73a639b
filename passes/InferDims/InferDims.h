// Names every dynamic dimension in its type.
#ifndef LATHE_PASSES_INFERDIMS_INFERDIMS_H
#define LATHE_PASSES_INFERDIMS_INFERDIMS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/InferDims/InferDims.h.inc"

} // namespace lathe

#endif
