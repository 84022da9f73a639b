// Depthwise convolutions of images whose planes are contiguous in memory.
#ifndef LATHE_ANALYSIS_PLANES_H
#define LATHE_ANALYSIS_PLANES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the ops from a transpose of planes [batch, channels, rows, columns] to a convolution's order [batch, rows, columns,
/// channels], through a depthwise convolution and elementwise ops, to a transpose back; empty if there are none around `conv`.
/// Each of these values has one use. Transposes and elementwise ops may have been lowered to nests.
///
/// The images and the filter have the sizes that code for planes expects: static ones, outputs whose lines are not very short
/// and follow each other at stride 1, and few taps.
llvm::SmallVector<mlir::Operation *> opsBetweenPlanes(ConvOp conv);

} // namespace lathe

#endif
