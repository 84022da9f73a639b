// Instruments generated code for AddressSanitizer or ThreadSanitizer.
#ifndef LATHE_CODEGEN_EMIT_SANITIZE_H
#define LATHE_CODEGEN_EMIT_SANITIZE_H

#include "lathe/CompileOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe {

/// Instruments all functions but those marked disable_sanitizer_instrumentation. It must run after all other passes, which
/// would move and merge the checks like the accesses that they guard.
void instrument(llvm::Module &module, llvm::TargetMachine &machine, Sanitizer sanitizer);

/// True if an instrumented object may leave the symbol to the sanitizer's runtime.
bool isSanitizerSymbol(llvm::StringRef name, Sanitizer sanitizer);

} // namespace lathe

#endif
