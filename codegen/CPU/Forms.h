// The list of all forms of CPU code.
#ifndef LATHE_CODEGEN_CPU_FORMS_H
#define LATHE_CODEGEN_CPU_FORMS_H

#include "codegen/CPU/Form.h"
#include "codegen/Kernels/FormList.h"

namespace lathe::cpu {

/// Returns the forms in order of preference: the first one that takes a kernel computes it.
FormList<Machine> forms();

/// Emits the kernel's function by its schedule for the target, at the end of `module`.
mlir::FailureOr<KernelCode> emitKernel(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name,
                                       const VectorTarget &target);

} // namespace lathe::cpu

#endif
