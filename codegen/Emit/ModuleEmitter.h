// Emits an LLVM module from planned functions: shared kernels, entries, tables.
#ifndef LATHE_CODEGEN_EMIT_MODULEEMITTER_H
#define LATHE_CODEGEN_EMIT_MODULEEMITTER_H

#include "codegen/Emit/ConstantPool.h"
#include "codegen/Emit/Signature.h"
#include "codegen/Emit/Targets.h"
#include "llvm/IR/Module.h"

namespace lathe {

/// The code of an object, and what was requested or reported besides it.
struct EmittedModule {
  std::unique_ptr<llvm::Module> code;
  ModuleSignature signature; // with the workspaces of its functions
  /// The bytes of each function's workspace that hold no buffer of the plan: scratch memory of GPU kernels, and copies of
  /// arguments.
  std::vector<Dim> deviceBytes;
  std::string text; // of the kernels, if requested
  std::string ptx;  // of the kernels for GPUs, concatenated
  unsigned kernelCalls = 0, distinctKernels = 0;
};

/// Refuses, with a diagnostic, kernels that the targets cannot compute.
mlir::LogicalResult checkKernels(mlir::ModuleOp module, const Targets &targets);

/// Lowers all kernels of the module's functions, and emits the entries around them. `module` holds planned functions, where the
/// specialize stage has marked versions. Adds constants to the pool. Returns null code with a diagnostic on failure.
EmittedModule emitModule(mlir::ModuleOp module, ModuleSignature signature, const Targets &targets, unsigned optLevel,
                         llvm::LLVMContext &context, ConstantPool &constants, KernelText text);

} // namespace lathe

#endif
