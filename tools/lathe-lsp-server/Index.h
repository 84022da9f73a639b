// An index of the places in a parsed text.
#ifndef LATHE_TOOLS_LSP_INDEX_H
#define LATHE_TOOLS_LSP_INDEX_H

#include "mlir/IR/Operation.h"
#include "tools/lathe-lsp-server/Analysis.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace lathe::server {

/// A use of the composite library as parsed. Inference replaces the op by a call.
struct Composite {
  std::string name;
  llvm::SmallVector<mlir::Type> operands, results;
};
using Composites = llvm::DenseMap<mlir::Operation *, Composite>;

/// Adds the parser's results for the text that begins at `start`, with the current types of its ops. The ops of `composites` no
/// longer exist.
void fillIndex(const mlir::AsmParserState &places, const char *start, const Composites &composites, Analysis &analysis);

} // namespace lathe::server

#endif
