// The form of kernels over rows on a GPU.
#ifndef LATHE_CODEGEN_GPU_ROWPASSES_ROWPASSES_H
#define LATHE_CODEGEN_GPU_ROWPASSES_ROWPASSES_H

#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Returns the form for kernels over rows (kRowsAttr).
const Form &rowPassesForm();

} // namespace lathe::gpu

#endif
