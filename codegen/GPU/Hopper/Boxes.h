// The choice of boxes of a product's rows and depth.
#ifndef LATHE_CODEGEN_GPU_HOPPER_BOXES_H
#define LATHE_CODEGEN_GPU_HOPPER_BOXES_H

#include "codegen/GPU/Hopper/Side.h"

namespace lathe::gpu {

/// Estimates the number of boxes of the spans. A named size counts as large or, if there are other spans such as a batch of
/// images, as several.
int64_t boxesOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans);
/// Returns the fraction of the boxes' points that are points of the product: 1 if no box extends past an end.
double usedOf(const KernelLoops &loops, llvm::ArrayRef<Span> spans);

/// Chooses boxes of the spans, powers of two whose product is `length`, such that there are as few boxes as `isGood` allows.
/// Returns false if it allows none. A named size may be 1: a box has several points of it only if little is lost then.
bool chooseBoxes(const KernelLoops &loops, llvm::MutableArrayRef<Span> spans, unsigned length,
                 llvm::function_ref<bool()> isGood);

} // namespace lathe::gpu

#endif
