// Convolutions in which each element of a batch has a filter of its own, for a batch of unknown size.
#ifndef LATHE_AUTODIFF_VMAP_TAPS_H
#define LATHE_AUTODIFF_VMAP_TAPS_H

#include "passes/Autodiff/Vmap/Vmap.h"

namespace lathe::autodiff {

// Emits one matrix product for each tap of the filter. Operands have the batch as dimension 0. Returns null, with a diagnostic,
// for a filter with too many taps.
mlir::Value convByTaps(Batch &b, ConvOp op, mlir::Value input, mlir::Value filter);
mlir::Value convByTaps(Batch &b, ConvInputGradOp op, mlir::Value output, mlir::Value filter);
mlir::Value convByTaps(Batch &b, ConvFilterGradOp op, mlir::Value input, mlir::Value output);

} // namespace lathe::autodiff

#endif
