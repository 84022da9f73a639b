// Errors in the order of lines.
#ifndef LATHE_IMPORT_ERRORLIST_H
#define LATHE_IMPORT_ERRORLIST_H

#include "mlir/IR/Diagnostics.h"
#include <optional>
#include <vector>

namespace lathe {

/// Holds errors back while it lives, and reports them at its end: by line and column, each once, the first kMost of them.
class ErrorList {
public:
  static constexpr size_t kMost = 20;

  explicit ErrorList(mlir::MLIRContext &context);
  ~ErrorList();

private:
  mlir::MLIRContext &context;
  std::vector<mlir::Diagnostic> errors;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace lathe

#endif
