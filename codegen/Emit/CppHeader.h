// The C++17 header of an object, which includes its C header.
#ifndef LATHE_CODEGEN_EMIT_CPPHEADER_H
#define LATHE_CODEGEN_EMIT_CPPHEADER_H

#include "codegen/Emit/Signature.h"

namespace lathe {

/// Returns the header's text. `cHeader` is the base name of the C header.
std::string writeCppHeader(const ModuleSignature &module, llvm::StringRef cHeader);

} // namespace lathe

#endif
