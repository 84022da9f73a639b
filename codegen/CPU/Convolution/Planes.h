// A depthwise convolution of images whose planes are contiguous, between the transposes that say so.
#ifndef LATHE_CODEGEN_CPU_CONVOLUTION_PLANES_H
#define LATHE_CODEGEN_CPU_CONVOLUTION_PLANES_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The form of kernels that opsBetweenPlanes describes. It reads and writes planes as they lie. A work item is a plane.
const Form &planesForm();

} // namespace lathe::cpu

#endif
