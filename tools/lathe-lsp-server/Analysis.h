// The analysis of a text after parsing and inference: diagnostics, and the places of definitions, ops and symbols.
#ifndef LATHE_TOOLS_LSP_ANALYSIS_H
#define LATHE_TOOLS_LSP_ANALYSIS_H

#include "tools/lathe-lsp-server/Text.h"
#include <string>
#include <vector>

namespace lathe::server {

/// A diagnostic, followed by its notes.
struct Finding {
  llvm::lsp::DiagnosticSeverity severity;
  Span place;
  std::string message;
  std::vector<std::pair<Span, std::string>> notes;
};

/// `%x`, the result of an op or an argument; several types for `%x:2`.
struct Definition {
  std::string name;
  Span place;                     // of its name
  std::vector<std::string> types; // "f32[N][16]"
};

struct OpPlace {
  std::string name;  // lathe.add, lathe.std.relu
  Span place;        // of its name
  std::string types; // "(f32[N], f32[N]) -> f32[N]"
};

/// `@f` of func.func or `@w` of lathe.variable.
struct Symbol {
  std::string name, text; // "@f(%x: f32[N]) -> (f32[N])", "@w : f32[16]"
  Span place;
};

struct Analysis {
  std::string text;
  bool isParsed = false;               // the fields below are of this text
  std::vector<Definition> definitions; // by name; in text order for equal names
  std::vector<OpPlace> ops;
  std::vector<Symbol> symbols;
  std::vector<Finding> findings;

  /// Returns the definition for a use of the name at `place`: the last one before it, since a function never redefines a name
  /// that is still visible. Returns null without a place.
  const Definition *find(llvm::StringRef name, std::optional<size_t> place) const;
  const Symbol *findSymbol(llvm::StringRef name) const;
};

/// Analyses a graph as lathec does, up to the last stage that may refuse one. `file` is its name in diagnostics.
Analysis analyze(llvm::StringRef file, llvm::StringRef text);

} // namespace lathe::server

#endif
