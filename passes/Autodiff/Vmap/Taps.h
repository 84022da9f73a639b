// Convolutions in which each element of a batch has a filter of its own, for a batch whose size is not known.
#ifndef LATHE_AUTODIFF_VMAP_TAPS_H
#define LATHE_AUTODIFF_VMAP_TAPS_H

#include "passes/Autodiff/Vmap/Vmap.h"

namespace lathe::autodiff {

// One product of matrices for each tap of the filter. Operands have the batch in front. Null, with a diagnostic, for a filter
// of too many taps.
mlir::Value convByTaps(Batch &b, ConvOp op, mlir::Value input, mlir::Value filter);
mlir::Value convByTaps(Batch &b, ConvInputGradOp op, mlir::Value output, mlir::Value filter);
mlir::Value convByTaps(Batch &b, ConvFilterGradOp op, mlir::Value input, mlir::Value output);

} // namespace lathe::autodiff

#endif
