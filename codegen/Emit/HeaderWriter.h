// The C header of an object.
#ifndef LATHE_CODEGEN_EMIT_HEADERWRITER_H
#define LATHE_CODEGEN_EMIT_HEADERWRITER_H

#include "codegen/Emit/Signature.h"

namespace lathe {

/// Returns the header's text: C99, without warnings as C++17. It includes the standard library only.
std::string writeHeader(const ModuleSignature &module);

} // namespace lathe

#endif
