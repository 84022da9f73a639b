// The forms of kernels of nests that no other form takes.
#ifndef LATHE_CODEGEN_GPU_LOOPS_LOOPS_H
#define LATHE_CODEGEN_GPU_LOOPS_LOOPS_H

#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Takes every kernel of nests: a thread evaluates points of the results, or several threads share the reduction of one.
const Form &loopsForm();

/// Takes kernels without a reduction whose inputs and results are contiguous along different dimensions of known size.
const Form &transposedTilesForm();

} // namespace lathe::gpu

#endif
