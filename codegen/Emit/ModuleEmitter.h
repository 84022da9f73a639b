// From planned functions to an LLVM module: kernels shared by structure, entries, tables.
#ifndef LATHE_CODEGEN_EMIT_MODULEEMITTER_H
#define LATHE_CODEGEN_EMIT_MODULEEMITTER_H

#include "codegen/Emit/ConstantPool.h"
#include "codegen/Emit/Signature.h"
#include "codegen/Emit/Targets.h"
#include "llvm/IR/Module.h"

namespace lathe {

struct EmittedModule {
  std::unique_ptr<llvm::Module> code;
  std::string text; // of the kernels, when asked for
  std::string ptx;  // of the kernels for GPUs, one text behind the other
  unsigned kernelCalls = 0, distinctKernels = 0;
};

/// Refuses, with a diagnostic, kernels that the targets have no code for, whatever form it takes.
mlir::LogicalResult checkKernels(mlir::ModuleOp module, const Targets &targets);

/// Lowers every kernel of the module's functions, and emits the entries around them.
/// `module` holds planned functions; versions of a function are marked by the specialize stage. Null code with a diagnostic on
/// failure. Sets the workspace expressions of `signature`; constants come to lie in the pool.
EmittedModule emitModule(mlir::ModuleOp module, ModuleSignature &signature, const Targets &targets, const DeviceOptions &device,
                         llvm::LLVMContext &context, ConstantPool &constants, KernelText text);

} // namespace lathe

#endif
