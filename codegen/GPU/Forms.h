// The list of all forms of GPU code.
#ifndef LATHE_CODEGEN_GPU_FORMS_H
#define LATHE_CODEGEN_GPU_FORMS_H

#include "codegen/GPU/Form.h"
#include "codegen/Kernels/FormList.h"

namespace lathe::gpu {

/// Returns the forms in order of preference: the first one that takes a kernel computes it.
FormList<Machine> forms();

/// Sets the attributes on which a kernel's GPU code depends besides its ops: kUnalignedAttr, kInPlaceAttr and kPredicatesAttr.
void markForDevice(KernelOp kernel);

/// Emits the kernel's function by its schedule for the target, at the end of `module`.
mlir::FailureOr<KernelCode> emitKernel(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name, const Target &target);

} // namespace lathe::gpu

#endif
