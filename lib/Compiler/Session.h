// The MLIR context of one compilation, and the diagnostics that it collects.
#ifndef LATHE_COMPILER_SESSION_H
#define LATHE_COMPILER_SESSION_H

#include "lathe/Compiler.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace lathe {

class Session {
public:
  /// Diagnostics have colours where `colors` is set.
  explicit Session(const std::string &path, bool colors = false);

  mlir::MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources = std::make_shared<llvm::SourceMgr>();

  /// From now on passes' remarks are added to `text`, one line each.
  void explainTo(std::string &text);
  /// All that was said so far, as text for a terminal.
  std::string takeDiagnostics() { return std::move(text); }
  /// Adds an error without a place in the graph: of the command line, or of the compiler itself.
  CompileStatus usage(const std::string &message);
  CompileStatus internalError(const std::string &message);
  /// A stage that failed after an error about an option was used wrongly; after one with a place in the graph it refused that;
  /// a failure without either is a bug of ours.
  CompileStatus failureStatus() const {
    return misused ? CompileStatus::WrongUsage : located ? CompileStatus::Refused : CompileStatus::InternalError;
  }
  /// The same where a failure is the graph's in any case.
  CompileStatus refusal() const { return misused ? CompileStatus::WrongUsage : CompileStatus::Refused; }

private:
  std::string path;
  std::string text;
  std::unique_ptr<llvm::raw_ostream> stream;
  llvm::raw_ostream &out;
  bool located = false, misused = false; // by the errors so far
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
};

} // namespace lathe

#endif
