// Convolutions whose results, or images and results, are planes that are contiguous in memory.
#ifndef LATHE_ANALYSIS_PLANES_H
#define LATHE_ANALYSIS_PLANES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the ops from a transpose of planes [batch, channels, rows, columns] to a convolution's order [batch, rows, columns,
/// channels], through a depthwise convolution and elementwise ops, to a transpose back; empty if there are none around `conv`.
/// Only these ops use their values. Transposes and elementwise ops may have been lowered to nests.
///
/// The images and the filter have the sizes that code for planes expects: static ones, outputs whose lines are not very short
/// and follow each other at stride 1, and few taps.
llvm::SmallVector<mlir::Operation *> opsBetweenPlanes(ConvOp conv);

/// Returns the ops from `conv`, which is not depthwise, through elementwise ops to a transpose of its results [batch, places..,
/// channels] to planes [batch, channels, places..]; empty if there are none. Only these ops use the values between them.
/// Transposes and elementwise ops may have been lowered to nests.
///
/// The images have the sizes that code for such planes expects: static ones, and neither few outputs nor very short lines.
llvm::SmallVector<mlir::Operation *> opsToPlanes(ConvOp conv);

/// True if the result of the kernel around `conv` is such a transpose.
bool writesPlanes(ConvOp conv);

} // namespace lathe

#endif
