// Matrix products and convolutions of halves, and of f32 as tf32, on sm_90a: copies of boxes, products of warp groups.
#ifndef LATHE_CODEGEN_GPU_HOPPER_HOPPER_H
#define LATHE_CODEGEN_GPU_HOPPER_HOPPER_H

#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Takes large products and convolutions on sm_90a.
///
/// Blocks of three warp groups go from tile to tile. One thread of the first copies slices of both operands to a ring of stages
/// in shared memory, the other two multiply them, 64 rows each, and finish the tile while the slices of the next one come. Two
/// barriers a stage say that its slice is there, and that both groups have read it. What is written once more has rooms
/// of its own: one is written while others are multiplied. Every sum adds up in the order of the depth, in steps of one
/// instruction, whatever the tile; of f32 in two parts in steps of a slice.
const Form &warpGroupsForm();

} // namespace lathe::gpu

#endif
