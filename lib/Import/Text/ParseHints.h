// Translates messages of MLIR's parser for authors of graphs.
#ifndef LATHE_IMPORT_TEXT_PARSEHINTS_H
#define LATHE_IMPORT_TEXT_PARSEHINTS_H

#include "mlir/IR/MLIRContext.h"

namespace lathe {

/// Returns a message with a hint for an error about dialects, terminators or attribute names: which op was meant, or how
/// comments are written. The error is at text[place]. Returns `message` itself if that is clear enough.
std::string hintFor(const std::string &message, llvm::StringRef text, size_t place, mlir::MLIRContext &context);

} // namespace lathe

#endif
