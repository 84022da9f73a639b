#include "tools/lathe-lsp-server/Server.h"

using namespace llvm;
using namespace lathe::server;

Server::Server(lsp::MessageHandler &messages)
    : publish(messages.outgoingNotification<lsp::PublishDiagnosticsParams>("textDocument/publishDiagnostics")) {
  messages.method("initialize", this, &Server::initialize);
  messages.notification("initialized", this, &Server::initialized);
  messages.method("shutdown", this, &Server::shutdown);
  messages.notification("textDocument/didOpen", this, &Server::open);
  messages.notification("textDocument/didChange", this, &Server::change);
  messages.notification("textDocument/didClose", this, &Server::close);
  messages.method("textDocument/hover", this, &Server::hover);
  messages.method("textDocument/completion", this, &Server::complete);
  messages.method("textDocument/definition", this, &Server::definition);
}

void Server::initialize(const lsp::InitializeParams &params, Callback<json::Value> reply) {
  json::Object sync{{"openClose", true}, {"change", int(lsp::TextDocumentSyncKind::Full)}};
  json::Object completion{{"triggerCharacters", {".", "%", "@"}}, {"resolveProvider", false}};
  json::Object capabilities{{"textDocumentSync", std::move(sync)},
                            {"completionProvider", std::move(completion)},
                            {"hoverProvider", true},
                            {"definitionProvider", true}};
  json::Object info{{"name", "lathe-lsp-server"}, {"version", LATHE_VERSION}};
  reply(json::Object{{"serverInfo", std::move(info)}, {"capabilities", std::move(capabilities)}});
}

void Server::shutdown(const lsp::NoParams &, Callback<std::nullptr_t> reply) {
  shutDown = true;
  reply(nullptr);
}

// ---- Documents

void Server::update(const lsp::URIForFile &uri, std::string text, int64_t version) {
  Document &document = documents[uri.uri()];
  document.update(uri, std::move(text));
  lsp::PublishDiagnosticsParams params(uri, version);
  params.diagnostics = document.diagnostics(uri);
  publish(params);
}

const Document *Server::find(const lsp::URIForFile &uri) const {
  auto found = documents.find(uri.uri());
  return found == documents.end() ? nullptr : &found->second;
}

void Server::open(const lsp::DidOpenTextDocumentParams &params) {
  update(params.textDocument.uri, params.textDocument.text, params.textDocument.version);
}

/// Replaces the text: `initialize` requests whole texts as changes.
void Server::change(const lsp::DidChangeTextDocumentParams &params) {
  if (!params.contentChanges.empty())
    update(params.textDocument.uri, params.contentChanges.back().text, params.textDocument.version);
}

void Server::close(const lsp::DidCloseTextDocumentParams &params) {
  documents.erase(params.textDocument.uri.uri());
  publish(lsp::PublishDiagnosticsParams(params.textDocument.uri, 0));
}

// ---- Requests

void Server::hover(const lsp::TextDocumentPositionParams &params, Callback<std::optional<lsp::Hover>> reply) {
  const Document *document = find(params.textDocument.uri);
  reply(document ? document->hover(params.position) : std::nullopt);
}

void Server::complete(const lsp::CompletionParams &params, Callback<lsp::CompletionList> reply) {
  const Document *document = find(params.textDocument.uri);
  reply(document ? document->complete(params.position) : lsp::CompletionList());
}

void Server::definition(const lsp::TextDocumentPositionParams &params, Callback<std::vector<lsp::Location>> reply) {
  const Document *document = find(params.textDocument.uri);
  std::optional<lsp::Range> range = document ? document->definition(params.position) : std::nullopt;
  std::vector<lsp::Location> locations;
  if (range)
    locations.emplace_back(params.textDocument.uri, *range);
  reply(std::move(locations));
}
