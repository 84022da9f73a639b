// Turns LLVM IR into object code or assembly, with a short list of passes.
#ifndef LATHE_CODEGEN_EMIT_OBJECTWRITER_H
#define LATHE_CODEGEN_EMIT_OBJECTWRITER_H

#include "codegen/CPU/Target.h"
#include "codegen/Emit/Signature.h"
#include "lathe/CompileOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe {

/// Returns why LLVM cannot generate code for the target: an unknown triple, CPU or feature. Returns an empty string if it can.
std::string checkTarget(const VectorTarget &target);

/// Sets LLVM's process-wide options that leave out passes which take time without a gain. Called with the first target; call it
/// again after code that resets these options, so that each compilation of a process gives the same bytes.
void disableIdlePasses();

/// Returns null with the reason in `error` if LLVM does not know the target.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const VectorTarget &target, unsigned optLevel, std::string &error);

/// Sets target attributes on all functions without them.
void setTargetAttributes(llvm::Module &module, const VectorTarget &target);

/// Inlines tiny kernels into versions, and drops what nothing calls then.
void inlineKernels(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel);

/// Cleans up the code of each function: kernels are already vectorised and unrolled.
void optimizeFunctions(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel);

/// Writes object code or assembly; returns false if the target has no writer for it.
bool writeCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly, llvm::raw_pwrite_stream &out);

/// Returns the undefined symbols of an object other than memcpy, memmove, memset, memcmp, those of the sanitizer and those of
/// functions that the graph calls.
std::vector<std::string> strangeSymbols(llvm::StringRef object, Sanitizer sanitizer, llvm::ArrayRef<ExternFunction> externs);

} // namespace lathe

#endif
