// The general forms of kernels of nests.
#ifndef LATHE_CODEGEN_GPU_LOOPS_LOOPS_H
#define LATHE_CODEGEN_GPU_LOOPS_LOOPS_H

#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Returns the form that takes every kernel of nests: a thread evaluates points of the results, or several threads share the
/// reduction of one.
const Form &loopsForm();

/// Returns the form for kernels without a reduction whose inputs and results are contiguous along different dimensions of known
/// size.
const Form &transposedTilesForm();

} // namespace lathe::gpu

#endif
