// Writes convolutions as products of patches, for CPUs that add pairs of products of bf16.
#ifndef LATHE_PASSES_PATCHPRODUCTS_PATCHPRODUCTS_H
#define LATHE_PASSES_PATCHPRODUCTS_PATCHPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/PatchProducts/PatchProducts.h.inc"

} // namespace lathe

#endif
