// Sums of products on tensor cores.
#ifndef LATHE_CODEGEN_GPU_CONTRACTION_CONTRACTION_H
#define LATHE_CODEGEN_GPU_CONTRACTION_CONTRACTION_H

#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Takes products that are large enough for tiles.
///
/// A block computes a tile of the result: it goes along the depth with a ring of slices of both operands in shared memory, one
/// of which is read while the others come, and with the words of one step in registers, while which is multiplied those of the
/// next one come. What else the kernel does is done with the sums of a tile. Every sum adds up in the order of the depth, in
/// steps of one instruction, whatever the tile; where blocks share the depth, part by part.
const Form &tensorCoresForm();

/// Of a kernel whose blocks share the depth in so many parts: adds the step that combines their sums.
void combineParts(KernelCode &code, KernelOp kernel, const KernelLoops &loops, const Product &product,
                  const FunctionPlace &place, int64_t parts);

} // namespace lathe::gpu

#endif
