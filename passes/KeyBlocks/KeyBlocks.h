// Computes attention over long rows of keys in blocks of keys.
#ifndef LATHE_PASSES_KEYBLOCKS_KEYBLOCKS_H
#define LATHE_PASSES_KEYBLOCKS_KEYBLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/KeyBlocks/KeyBlocks.h.inc"

} // namespace lathe

#endif
