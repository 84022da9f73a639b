// Ops brought into the forms that have fast kernels.
#ifndef LATHE_PASSES_LAYOUT_LAYOUT_H
#define LATHE_PASSES_LAYOUT_LAYOUT_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// `lathe-layout`. A lathe.conv_input_grad of one group with static spatial extents becomes the lathe.conv of its cotangent
/// with the flipped and transposed filter: the same sums, and one generator for both. A lathe.dot_general whose rhs ends in a
/// contracted or batch dimension gets a transposed copy of it, and one of many products a copy of a lhs that does not end in
/// them, unless all is for a device; one column becomes a vector. Requires inferred types.
std::unique_ptr<mlir::Pass> createLayoutPass();
void registerLayoutPasses();

} // namespace lathe

#endif
