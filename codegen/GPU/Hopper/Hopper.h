// Matrix products and convolutions of f16, bf16 and f32 (as TF32) on sm_90a, by TMA copies and products of warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_HOPPER_H
#define LATHE_CODEGEN_GPU_HOPPER_HOPPER_H

#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Returns the form for large products and convolutions on sm_90a.
const Form &warpGroupsForm();

} // namespace lathe::gpu

#endif
