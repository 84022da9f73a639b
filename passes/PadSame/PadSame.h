// Replaces `pad same` of convolutions by numbers.
#ifndef LATHE_PASSES_PADSAME_PADSAME_H
#define LATHE_PASSES_PADSAME_PADSAME_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/PadSame/PadSame.h.inc"

} // namespace lathe

#endif
