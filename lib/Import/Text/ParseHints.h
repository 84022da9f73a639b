// Translates messages of MLIR's parser for authors of graphs.
#ifndef LATHE_IMPORT_TEXT_PARSEHINTS_H
#define LATHE_IMPORT_TEXT_PARSEHINTS_H

#include "mlir/IR/MLIRContext.h"

namespace lathe {

/// An error of MLIR's parser at text[place], in the statement of an op.
struct ParseError {
  llvm::StringRef message, text;
  size_t place;
  llvm::StringRef op; // empty if the statement has no name of an op
};

/// A text that the author probably meant instead of text[begin, end).
struct Correction {
  size_t begin, end;
  std::string text;
};

struct ParseHint {
  std::string message; // empty if another error of the statement says it all
  size_t place;        // where the mistake is
  std::optional<Correction> correction = {};
};

/// Returns an error in the words of graphs, with the mistake's place and what was probably meant.
ParseHint hintFor(const ParseError &error, mlir::MLIRContext &context);

} // namespace lathe

#endif
