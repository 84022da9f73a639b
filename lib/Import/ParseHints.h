// What the parser of MLIR says of a graph, in the words of graphs.
#ifndef LATHE_IMPORT_PARSEHINTS_H
#define LATHE_IMPORT_PARSEHINTS_H

#include "mlir/IR/Diagnostics.h"

namespace lathe {

/// While it lives, errors of the parser that speak of dialects, terminators or attribute names are replaced by a sentence with
/// a hint: which op was meant, how comments are written, what a function ends with.
class ParseHints {
public:
  /// `text` is what is parsed, as long as this lives.
  ParseHints(mlir::MLIRContext &context, llvm::StringRef text);

private:
  mlir::LogicalResult replace(mlir::Diagnostic &diagnostic);
  std::string betterText(const std::string &message, mlir::Location location);

  llvm::StringRef text;
  bool isReplacing = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace lathe

#endif
