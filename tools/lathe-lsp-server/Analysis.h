// What a text says, once it is parsed and inferred: diagnostics, and places with what is there.
#ifndef LATHE_TOOLS_LSP_ANALYSIS_H
#define LATHE_TOOLS_LSP_ANALYSIS_H

#include "tools/lathe-lsp-server/Text.h"
#include <string>
#include <vector>

namespace lathe::server {

/// A diagnostic, with its notes behind it.
struct Finding {
  llvm::lsp::DiagnosticSeverity severity;
  Span place;
  std::string message;
  std::vector<std::pair<Span, std::string>> notes;
};

/// `%x`, the result of an op or an argument; several types for `%x:2`.
struct Definition {
  std::string name;
  Span place;                     // its name
  std::vector<std::string> types; // "f32[N][16]"
};

struct OpPlace {
  std::string name;  // lathe.add, lathe.std.relu
  Span place;        // of it
  std::string types; // "(f32[N], f32[N]) -> f32[N]"
};

/// `@f` of func.func or `@w` of lathe.variable.
struct Symbol {
  std::string name, text; // "@f(%x: f32[N]) -> (f32[N])", "@w : f32[16]"
  Span place;
};

struct Analysis {
  std::string text;
  bool isParsed = false;               // what follows is of this text
  std::vector<Definition> definitions; // by name; those of one name as they come
  std::vector<OpPlace> ops;
  std::vector<Symbol> symbols;
  std::vector<Finding> findings;

  /// The definition that a use at `place` of the name means, none for no place: the last one in front of it, since within a
  /// function no name is taken twice where the first one can be used.
  const Definition *find(llvm::StringRef name, std::optional<size_t> place) const;
  const Symbol *findSymbol(llvm::StringRef name) const;
};

/// Looks at a graph as lathec does, up to the last stage that may refuse one. `file` is its name in diagnostics.
Analysis analyze(llvm::StringRef file, llvm::StringRef text);

} // namespace lathe::server

#endif
