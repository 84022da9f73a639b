// What the parser of MLIR says of a graph, in the words of graphs.
#ifndef LATHE_IMPORT_TEXT_PARSEHINTS_H
#define LATHE_IMPORT_TEXT_PARSEHINTS_H

#include "mlir/IR/MLIRContext.h"

namespace lathe {

/// A sentence with a hint in place of an error that speaks of dialects, terminators or attribute names: which op was meant, how
/// comments are written. The error is at text[place]. Returns `message` itself where that says it well.
std::string hintFor(const std::string &message, llvm::StringRef text, size_t place, mlir::MLIRContext &context);

} // namespace lathe

#endif
