// Prints diagnostics about a graph, and records what they are about.
#ifndef LATHE_SUPPORT_GRAPHDIAGNOSTICS_H
#define LATHE_SUPPORT_GRAPHDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace lathe {

class GraphDiagnostics : public mlir::SourceMgrDiagnosticHandler {
public:
  GraphDiagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context, llvm::raw_ostream &out = llvm::errs());

  /// True if an error has a place in the graph.
  bool isLocated() const { return located; }
  /// True if a diagnostic is about an option of the command line.
  bool isMisused() const { return misused; }

private:
  void print(mlir::Diagnostic &diagnostic);

  bool located = false, misused = false;
};

} // namespace lathe

#endif
