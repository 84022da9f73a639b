// Generated code under AddressSanitizer or ThreadSanitizer, for programs that are linked with either.
#ifndef LATHE_CODEGEN_EMIT_SANITIZE_H
#define LATHE_CODEGEN_EMIT_SANITIZE_H

#include "lathe/CompileOptions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe {

/// Instruments every function but those marked disable_sanitizer_instrumentation. After all other passes: checks that come
/// earlier would be moved and merged like the accesses that they guard.
void instrument(llvm::Module &module, llvm::TargetMachine &machine, Sanitizer sanitizer);

/// Whether an instrumented object may leave the symbol for the sanitizer's runtime to define.
bool isSanitizerSymbol(llvm::StringRef name, Sanitizer sanitizer);

} // namespace lathe

#endif
