// The C header of an object.
#ifndef LATHE_CODEGEN_EMIT_HEADERWRITER_H
#define LATHE_CODEGEN_EMIT_HEADERWRITER_H

#include "codegen/Emit/Signature.h"

namespace lathe {

/// The header's text: C99, silent as C++17, needs nothing but the standard library when the object uses no context.
std::string writeHeader(const ModuleSignature &module);

} // namespace lathe

#endif
