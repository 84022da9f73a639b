// An open document: its text and its last analysis.
#ifndef LATHE_TOOLS_LSP_DOCUMENT_H
#define LATHE_TOOLS_LSP_DOCUMENT_H

#include "tools/lathe-lsp-server/Analysis.h"

namespace lathe::server {

class Document {
public:
  /// Analyses the new text. While it does not parse, places come from the last text that did.
  void update(const llvm::lsp::URIForFile &uri, std::string newText);

  std::vector<llvm::lsp::Diagnostic> diagnostics(const llvm::lsp::URIForFile &uri) const;
  std::optional<llvm::lsp::Hover> hover(const llvm::lsp::Position &position) const;
  llvm::lsp::CompletionList complete(const llvm::lsp::Position &position) const;
  std::optional<llvm::lsp::Range> definition(const llvm::lsp::Position &position) const;

private:
  /// A word of the current text, and its place in the text that `known` describes.
  struct Meaning {
    llvm::StringRef word;
    Span span;
    std::optional<size_t> place; // in `known`; none in text that has changed since then
  };
  std::optional<Meaning> meaningAt(const llvm::lsp::Position &position) const;
  /// Returns Markdown; empty if nothing is known.
  std::string describe(const Meaning &meaning) const;
  std::string describeValue(const Meaning &meaning) const;
  std::string describeOp(const Meaning &meaning) const;
  void completeValues(llvm::lsp::CompletionList &list, Span word) const;
  void completeSymbols(llvm::lsp::CompletionList &list, Span word) const;
  void completeOps(llvm::lsp::CompletionList &list, Span word) const;

  std::string text;
  Analysis known; // of the last text that parsed
  std::vector<Finding> findings;
};

} // namespace lathe::server

#endif
