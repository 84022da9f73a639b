// Replaces calls by the bodies of their callees.
#ifndef LATHE_PASSES_INLINE_INLINE_H
#define LATHE_PASSES_INLINE_INLINE_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Inline/Inline.h.inc"

} // namespace lathe

#endif
