// Convolutions by Winograd's minimal filtering, under --math=fast.
#ifndef LATHE_CODEGEN_CPU_WINOGRAD_WINOGRAD_H
#define LATHE_CODEGEN_CPU_WINOGRAD_WINOGRAD_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The form of kernels around a lathe.conv that passes/Winograd chose. The kernel's other ops are the epilogue. Each sum over
/// channels takes them in order, so that no schedule changes a bit of the results.
const Form &winogradForm();

/// The form of kernels around such a lathe.conv_filter_grad. Each sum over squares adds up groups of them in order.
const Form &winogradGradientForm();

} // namespace lathe::cpu

#endif
