// Composites that are optimisers, and their properties for lathe.minimize.
#ifndef LATHE_STD_OPTIMIZER_H
#define LATHE_STD_OPTIMIZER_H

#include "dialects/Lathe/Std/Template.h"
#include "llvm/ADT/SmallVector.h"

namespace lathe {
class OptimizerAttr;
} // namespace lathe

namespace lathe::composites {

/// Returns the template of an optimiser: operands parameter, gradient, learning_rate, then possibly step, then slots. Null if
/// the library has none of this name. `sgd` with a momentum is `momentum`.
const Template *optimizerOf(OptimizerAttr optimizer);
/// The option of lathe.minimize that keeps slots in bf16.
inline constexpr llvm::StringLiteral kSlotsOption = "slots";
bool countsSteps(const Template &optimizer);
llvm::SmallVector<llvm::StringRef> slotsOf(const Template &optimizer);

} // namespace lathe::composites

#endif
