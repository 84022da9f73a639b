// LLVM IR to object code or assembly, with a short list of passes.
#ifndef LATHE_CODEGEN_EMIT_OBJECTWRITER_H
#define LATHE_CODEGEN_EMIT_OBJECTWRITER_H

#include "codegen/CPU/Target.h"
#include "codegen/Emit/Signature.h"
#include "lathe/CompileOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe {

/// Why LLVM cannot make code for the target: it does not know its triple, CPU or a feature. Empty where it can.
std::string checkTarget(const VectorTarget &target);

/// Null with the reason in `error` where LLVM does not know the target.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const VectorTarget &target, unsigned optLevel, std::string &error);

/// Sets target attributes on every function that has none yet.
void setTargetAttributes(llvm::Module &module, const VectorTarget &target);

/// Kernels come vectorised and unrolled: cleaning up is all that is left to do.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel);

/// Writes object code or assembly; false where the target has no writer for it.
bool writeCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly, llvm::raw_pwrite_stream &out);

/// Undefined symbols of an object that are none of memcpy, memmove, memset, memcmp, the sanitizer's own and those of functions
/// that the graph calls.
std::vector<std::string> strangeSymbols(llvm::StringRef object, Sanitizer sanitizer, llvm::ArrayRef<ExternFunction> externs);

} // namespace lathe

#endif
