// Matrix products on tensor cores.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_CONTRACTION_H
#define LATHE_CODEGEN_GPU_CONTRACTION_CONTRACTION_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Returns the form for matrix products that are large enough for tiles. A block computes a tile of the result by mma.sync.
/// Every sum adds up in the order of the depth, in steps of one instruction, whatever the tile; with split-K, part by part.
const Form &tensorCoresForm();

/// Adds the second stage of a split-K kernel, which combines the sums of the parts.
void combineParts(KernelCode &code, KernelOp kernel, const KernelLoops &loops, const Product &product,
                  const FunctionPlace &place, int64_t parts);

} // namespace lathe::gpu

#endif
