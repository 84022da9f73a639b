// Kernels that run together strip by strip (lathe.strips).
#ifndef LATHE_CODEGEN_CPU_STRIPS_STRIPS_H
#define LATHE_CODEGEN_CPU_STRIPS_STRIPS_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

const Form &stripsForm();

} // namespace lathe::cpu

#endif
