// Translates messages of MLIR's verifiers for authors of graphs.
#ifndef LATHE_IMPORT_VERIFIERWORDS_H
#define LATHE_IMPORT_VERIFIERWORDS_H

#include "mlir/IR/Operation.h"

namespace lathe {

/// Returns a verifier's message about `op` in the words of graphs; empty if it already is in them.
std::string verifierWords(mlir::Operation *op, llvm::StringRef message);

} // namespace lathe

#endif
