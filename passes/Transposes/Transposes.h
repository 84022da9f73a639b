// Transposes that meet and cancel.
#ifndef LATHE_PASSES_TRANSPOSES_TRANSPOSES_H
#define LATHE_PASSES_TRANSPOSES_TRANSPOSES_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// `lathe-sink-transposes`. Moves transposes behind what gives the same in another order of dimensions: elementwise ops,
/// reductions, windows, concatenations, pads. Between two convolutions of a model with channels first, one that leaves this
/// order and one that enters it meet and cancel. Requires inferred types and explicit broadcasts.
std::unique_ptr<mlir::Pass> createSinkTransposesPass();
void registerTransposesPasses();

} // namespace lathe

#endif
