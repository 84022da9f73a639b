// Which points of a product's rows, and of its depth, go together as a box.
#ifndef LATHE_CODEGEN_GPU_HOPPER_BOXES_H
#define LATHE_CODEGEN_GPU_HOPPER_BOXES_H

#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

/// How many boxes the spans have, as far as sizes are known: a named one counts as large, beside others, as of a batch of
/// images, as several.
int64_t boxesOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans);
/// How much of so many boxes is points of the product: 1 where none goes beyond its end.
double usedOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans);

/// Sets the boxes of the spans, powers of two which are `length` together, to those of which there are fewest among those that
/// `isGood` allows; false where it allows none. A named number may be one: boxes have several of it only where little is lost
/// then.
bool chooseBoxes(const KernelLoops &loops, llvm::MutableArrayRef<Span> spans, unsigned length,
                 llvm::function_ref<bool()> isGood);

} // namespace lathe::gpu

#endif
