// Rounds the operands of matrix products to bf16 for CPUs that add pairs of such products.
#ifndef LATHE_PASSES_ROUNDPRODUCTS_ROUNDPRODUCTS_H
#define LATHE_PASSES_ROUNDPRODUCTS_ROUNDPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/RoundProducts/RoundProducts.h.inc"

} // namespace lathe

#endif
