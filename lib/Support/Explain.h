// Reports the compiler's decisions, with their locations in the graph, as MLIR remarks (lathec --explain).
#ifndef LATHE_SUPPORT_EXPLAIN_H
#define LATHE_SUPPORT_EXPLAIN_H

#include "mlir/IR/Remarks.h"
#include <fmt/format.h>

namespace lathe {

/// Suppresses the explanations of this thread while it exists: a trial is not a decision.
class Trial {
public:
  Trial() { ++running; }
  ~Trial() { --running; }
  Trial(const Trial &) = delete;

  static bool isRunning() { return running != 0; }

private:
  static inline thread_local unsigned running = 0;
};

/// True if remarks are collected. Test this before expensive explanations.
inline bool isExplaining(mlir::MLIRContext *context) { return context->getRemarkEngine() != nullptr && !Trial::isRunning(); }

/// Reports a decision and its result.
template <typename... Args>
void explain(mlir::Location place, llvm::StringRef stage, fmt::format_string<Args...> text, Args &&...args) {
  if (Trial::isRunning())
    return;
  if (auto remark = mlir::remark::passed(place, mlir::remark::RemarkOpts::name(stage).category(stage)))
    remark << fmt::format(text, std::forward<Args>(args)...);
}

/// Reports a missed optimisation and the reason.
template <typename... Args>
void explainNot(mlir::Location place, llvm::StringRef stage, fmt::format_string<Args...> text, Args &&...args) {
  if (Trial::isRunning())
    return;
  if (auto remark = mlir::remark::missed(place, mlir::remark::RemarkOpts::name(stage).category(stage)))
    remark << fmt::format(text, std::forward<Args>(args)...);
}

} // namespace lathe

#endif
