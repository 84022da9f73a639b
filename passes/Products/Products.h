// Chooses the order of products of products.
#ifndef LATHE_PASSES_PRODUCTS_PRODUCTS_H
#define LATHE_PASSES_PRODUCTS_PRODUCTS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Products/Products.h.inc"

} // namespace lathe

#endif
