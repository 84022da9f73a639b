// Powers by a number as products.
#ifndef LATHE_IR_POWERS_H
#define LATHE_IR_POWERS_H

#include "mlir/IR/PatternMatch.h"

namespace lathe {

/// Adds the pattern that rewrites lathe.pow by 1, 2, 3, 4, -1 and -2 as products and quotients.
void addPowerPatterns(mlir::RewritePatternSet &patterns);

} // namespace lathe

#endif
