// The MLIR context of one compilation, and the diagnostics that it collects.
#ifndef LATHE_COMPILER_SESSION_H
#define LATHE_COMPILER_SESSION_H

#include "lathe/Compiler.h"
#include "lib/Support/GraphDiagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace lathe {

class Session {
public:
  /// Diagnostics are coloured if `colors` is set.
  explicit Session(const std::string &path, bool colors = false);

  mlir::MLIRContext context;
  std::shared_ptr<llvm::SourceMgr> sources = std::make_shared<llvm::SourceMgr>();

  /// Returns the graph's text; empty for a model and for bytecode, whose buffers are not text.
  llvm::StringRef graphText() const;
  /// Adds the passes' remarks from now on to a list.
  void explainTo(std::vector<CompileRemark> &remarks);
  /// Returns all diagnostics so far, as text for a terminal.
  std::string takeDiagnostics() { return std::move(text); }
  /// Adds an error without a location in the graph: about the command line, or about the compiler itself.
  CompileStatus usage(const std::string &message);
  CompileStatus internalError(const std::string &message);
  /// Returns the status of a failed stage: wrong usage after an error about an option, a refusal after an error with a location
  /// in the graph. A failure without either is a bug of the compiler.
  CompileStatus failureStatus() const {
    return handler->isMisused()   ? CompileStatus::WrongUsage
           : handler->isLocated() ? CompileStatus::Refused
                                  : CompileStatus::InternalError;
  }
  /// The same for a failure that is certainly the graph's.
  CompileStatus refusal() const { return handler->isMisused() ? CompileStatus::WrongUsage : CompileStatus::Refused; }

private:
  std::string path;
  std::string text;
  std::unique_ptr<llvm::raw_ostream> stream;
  llvm::raw_ostream &out;
  std::unique_ptr<GraphDiagnostics> handler;
};

} // namespace lathe

#endif
