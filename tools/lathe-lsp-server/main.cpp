// lathe-lsp-server: the language server for graphs, on standard input and output.
#include "tools/lathe-lsp-server/Server.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

static const char *kHelp = R"(Usage: lathe-lsp-server [--stdio]
The language server for Lathe graphs. An editor starts it and uses the Language Server Protocol on standard input and
output. The server reports the diagnostics of lathec, completes the names of ops, values and functions, and shows shapes
and the documentation of ops. editors/vscode contains the client for VS Code.

Options:
  --stdio     Accepted for editors that pass it; the server always uses standard input and output
  --version   Print the version
  --help      Print this text
)";

int main(int argc, char **argv) {
  for (llvm::StringRef option : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (option == "--help" || option == "--version") {
      llvm::outs() << (option == "--help" ? kHelp : "lathe-lsp-server " LATHE_VERSION "\n");
      return 0;
    }
    if (option != "--stdio") {
      llvm::errs() << "lathe-lsp-server: error: unknown option '" << option << "'\n";
      return 2;
    }
  }
  llvm::CrashRecoveryContext::Enable();
  (void)llvm::sys::ChangeStdinToBinary();
  llvm::lsp::JSONTransport transport(stdin, llvm::outs());
  llvm::lsp::MessageHandler messages(transport);
  lathe::server::Server server(messages);
  if (llvm::Error error = transport.run(messages)) {
    llvm::errs() << "lathe-lsp-server: error: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return server.isShutDown() ? 0 : 1; // the protocol's exit code for an exit without shutdown
}
