#include "lib/Support/GraphDiagnostics.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace lathe;

GraphDiagnostics::GraphDiagnostics(llvm::SourceMgr &sources, MLIRContext *context, llvm::raw_ostream &out)
    : SourceMgrDiagnosticHandler(sources, context, out) {
  setHandler([this](Diagnostic &diagnostic) {
    located |= diagnostic.getSeverity() == DiagnosticSeverity::Error && sourcePlace(diagnostic.getLocation()).line > 0;
    misused |= isOptionPlace(diagnostic.getLocation());
    print(diagnostic);
  });
}

/// Prints a diagnostic. One about a whole file, which has no line, begins with the file's name only.
void GraphDiagnostics::print(Diagnostic &diagnostic) {
  auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (!file || file.getLine() > 0 || diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return emitDiagnostic(diagnostic);
  llvm::SMDiagnostic(file.getFilename(), llvm::SourceMgr::DK_Error, diagnostic.str()).print(nullptr, os);
  for (Diagnostic &note : diagnostic.getNotes())
    emitDiagnostic(note.getLocation(), note.str(), note.getSeverity());
}
