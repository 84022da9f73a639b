// Documentation of ops: the dialect's from the .td files, composites' from the library's templates.
#ifndef LATHE_TOOLS_LSP_DOCS_H
#define LATHE_TOOLS_LSP_DOCS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe::server {

struct OpDoc {
  std::string name; // lathe.add, lathe.std.relu
  std::string summary;
  std::string text; // Markdown: the summary, the syntax and the description
};

/// Returns the documentation of all ops that a graph may contain, by name.
llvm::ArrayRef<OpDoc> opDocs();
const OpDoc *findOpDoc(llvm::StringRef name);

} // namespace lathe::server

#endif
