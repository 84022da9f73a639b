// All forms of code for kernels on a GPU.
#ifndef LATHE_CODEGEN_GPU_FORMS_H
#define LATHE_CODEGEN_GPU_FORMS_H

#include "codegen/GPU/Form.h"
#include "codegen/Kernels/FormList.h"

namespace lathe::gpu {

/// Returns the forms. The first one that takes a kernel gets it.
FormList<Machine> forms();

/// Puts what a GPU's code depends on beside the kernel's ops into its attributes: kUnalignedAttr, kInPlaceAttr and
/// kPredicatesAttr.
void markForDevice(KernelOp kernel);

/// Emits the kernel's function by its schedule for the target, at the end of `module`.
mlir::FailureOr<KernelCode> emitKernel(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name, const Target &target);

} // namespace lathe::gpu

#endif
