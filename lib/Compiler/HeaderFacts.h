// Describes a graph and its compilation for the comments of headers.
#ifndef LATHE_COMPILER_HEADERFACTS_H
#define LATHE_COMPILER_HEADERFACTS_H

#include "codegen/Emit/Signature.h"
#include "lathe/CompileOptions.h"

namespace lathe {

/// Returns the compiler's version and the options that differ from the defaults, without the paths of files.
Maker makerOf(const CompileOptions &options);

/// Sets the doc comments of a module, its functions and its variables: the lines with // directly above each in the text of the
/// graph, and those at the top of the text.
void addDocComments(llvm::StringRef text, ModuleSignature &signature);

} // namespace lathe

#endif
