// Decisions of the compiler at their places in the graph, told to whoever listens to MLIR's remarks: lathec --explain.
#ifndef LATHE_SUPPORT_EXPLAIN_H
#define LATHE_SUPPORT_EXPLAIN_H

#include "mlir/IR/Remarks.h"
#include <fmt/format.h>

namespace lathe {

/// Whether anybody listens: for decisions that take work to tell.
inline bool isExplaining(mlir::MLIRContext *context) { return context->getRemarkEngine() != nullptr; }

/// What was done, and with what result.
template <typename... Args>
void explain(mlir::Location place, llvm::StringRef stage, fmt::format_string<Args...> text, Args &&...args) {
  if (auto remark = mlir::remark::passed(place, mlir::remark::RemarkOpts::name(stage).category(stage)))
    remark << fmt::format(text, std::forward<Args>(args)...);
}

/// What could have been expected but was not done, and why.
template <typename... Args>
void explainNot(mlir::Location place, llvm::StringRef stage, fmt::format_string<Args...> text, Args &&...args) {
  if (auto remark = mlir::remark::missed(place, mlir::remark::RemarkOpts::name(stage).category(stage)))
    remark << fmt::format(text, std::forward<Args>(args)...);
}

} // namespace lathe

#endif
