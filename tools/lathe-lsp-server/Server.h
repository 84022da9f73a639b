// The requests of the protocol, each for one open document.
#ifndef LATHE_TOOLS_LSP_SERVER_H
#define LATHE_TOOLS_LSP_SERVER_H

#include "tools/lathe-lsp-server/Document.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/LSP/Transport.h"

namespace lathe::server {

class Server {
public:
  explicit Server(llvm::lsp::MessageHandler &messages);

  bool isShutDown() const { return shutDown; }

private:
  template <typename Result>
  using Callback = llvm::lsp::Callback<Result>;

  void initialize(const llvm::lsp::InitializeParams &params, Callback<llvm::json::Value> reply);
  void initialized(const llvm::lsp::InitializedParams &params) {}
  void shutdown(const llvm::lsp::NoParams &params, Callback<std::nullptr_t> reply);
  void open(const llvm::lsp::DidOpenTextDocumentParams &params);
  void change(const llvm::lsp::DidChangeTextDocumentParams &params);
  void close(const llvm::lsp::DidCloseTextDocumentParams &params);
  void hover(const llvm::lsp::TextDocumentPositionParams &params, Callback<std::optional<llvm::lsp::Hover>> reply);
  void complete(const llvm::lsp::CompletionParams &params, Callback<llvm::lsp::CompletionList> reply);
  void definition(const llvm::lsp::TextDocumentPositionParams &params, Callback<std::vector<llvm::lsp::Location>> reply);

  void update(const llvm::lsp::URIForFile &uri, std::string text, int64_t version);
  const Document *find(const llvm::lsp::URIForFile &uri) const;

  llvm::StringMap<Document> documents; // by URI
  llvm::lsp::OutgoingNotification<llvm::lsp::PublishDiagnosticsParams> publish;
  bool shutDown = false;
};

} // namespace lathe::server

#endif
