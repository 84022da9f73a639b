// Computes ops on constants at compile time.
#ifndef LATHE_PASSES_CONSTANTFOLD_CONSTANTFOLD_H
#define LATHE_PASSES_CONSTANTFOLD_CONSTANTFOLD_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// `lathe-fold-constants`. Replaces ops whose operands are all constants by their values, which the interpreter computes: the
/// layout changes of weights above all. What would make the object larger stays, such as a broadcast, and so do contractions
/// and others that take long to interpret, unless they are small. Requires inferred types.
std::unique_ptr<mlir::Pass> createConstantFoldPass();
void registerConstantFoldPasses();

} // namespace lathe

#endif
