// Reports the compiler's decisions, with their locations in the graph, as MLIR remarks (lathec --explain).
#ifndef LATHE_SUPPORT_EXPLAIN_H
#define LATHE_SUPPORT_EXPLAIN_H

#include "mlir/IR/Remarks.h"
#include <fmt/format.h>

namespace lathe {

/// True if remarks are collected. Test this before expensive explanations.
inline bool isExplaining(mlir::MLIRContext *context) { return context->getRemarkEngine() != nullptr; }

/// Reports a decision and its result.
template <typename... Args>
void explain(mlir::Location place, llvm::StringRef stage, fmt::format_string<Args...> text, Args &&...args) {
  if (auto remark = mlir::remark::passed(place, mlir::remark::RemarkOpts::name(stage).category(stage)))
    remark << fmt::format(text, std::forward<Args>(args)...);
}

/// Reports a missed optimisation and the reason.
template <typename... Args>
void explainNot(mlir::Location place, llvm::StringRef stage, fmt::format_string<Args...> text, Args &&...args) {
  if (auto remark = mlir::remark::missed(place, mlir::remark::RemarkOpts::name(stage).category(stage)))
    remark << fmt::format(text, std::forward<Args>(args)...);
}

} // namespace lathe

#endif
