// From planned functions to an LLVM module: kernels shared by structure, entries, tables.
#ifndef LATHE_CODEGEN_EMIT_MODULEEMITTER_H
#define LATHE_CODEGEN_EMIT_MODULEEMITTER_H

#include "codegen/CPU/Target.h"
#include "codegen/Emit/Signature.h"
#include "llvm/IR/Module.h"

namespace lathe {

/// Lowers every kernel of the module's functions to code (MLIR's LLVM dialect) and gives the text of that stage too.
struct EmittedModule {
  std::unique_ptr<llvm::Module> code;
  std::string kernelsText; // of the kernels stage, when asked for
  unsigned kernelCalls = 0, distinctKernels = 0;
};

/// `module` holds planned functions; versions of a function are marked by the specialize stage. Null code with a diagnostic on
/// failure. Sets the workspace expressions of `signature`.
EmittedModule emitModule(mlir::ModuleOp module, ModuleSignature &signature, llvm::ArrayRef<cpu::Target> targets,
                         llvm::LLVMContext &context, bool keepText);

} // namespace lathe

#endif
