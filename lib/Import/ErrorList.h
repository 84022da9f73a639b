// Sorts errors by line.
#ifndef LATHE_IMPORT_ERRORLIST_H
#define LATHE_IMPORT_ERRORLIST_H

#include "mlir/IR/Diagnostics.h"
#include <optional>
#include <vector>

namespace lathe {

/// True for MLIR's message after the error with which an op's inference has failed; it says nothing more.
bool repeatsInference(const std::string &message);

/// Collects errors during its lifetime, and reports them at its end: by line and column, without duplicates, the first kMost.
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
