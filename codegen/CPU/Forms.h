// All forms of code for kernels on a CPU.
#ifndef LATHE_CODEGEN_CPU_FORMS_H
#define LATHE_CODEGEN_CPU_FORMS_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The forms. The first one that takes a kernel gets it.
llvm::ArrayRef<const Form *> forms();
/// Returns the form of a schedule; failure with a diagnostic at `place` where CPUs have none of its name.
mlir::FailureOr<const Form *> formOf(ScheduleAttr schedule, mlir::Location place);

/// Lowers a kernel to nests and the ops that forms compute as they are, and chooses its schedule; failure with a diagnostic.
/// With a form, chooses parameters of that one.
mlir::FailureOr<ScheduleAttr> chooseSchedule(KernelOp kernel, const VectorTarget &target, const Form *wanted = nullptr);

/// Refuses, with a diagnostic, a kernel whose schedule for the target is missing, or one that its form has no code for.
mlir::LogicalResult verifySchedule(KernelOp kernel, const VectorTarget &target);

/// Emits the kernel's function by its schedule for the target, at the end of `module`.
mlir::FailureOr<KernelCode> emitKernel(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name,
                                       const VectorTarget &target);

} // namespace lathe::cpu

#endif
