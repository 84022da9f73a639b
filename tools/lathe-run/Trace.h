// Output of the interpreter while it runs: the graph's own prints, and --trace.
#ifndef LATHE_TOOLS_LATHE_RUN_TRACE_H
#define LATHE_TOOLS_LATHE_RUN_TRACE_H

#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "tools/lathe-run/Options.h"

/// Returns a hook that prints as compiled code does through its context.
std::function<void(mlir::Operation *, const lathe::Tensor &, const lathe::Tensor *)> printHook(const std::string &graph);

/// The outcome of --trace.
struct TraceOutcome {
  std::string error;               // why a value could not be stored
  std::vector<std::string> unseen; // names and lines that matched no value so far

  /// Returns a sentence about the outcome; empty if all is well.
  std::string fault() const;
};

/// Returns a hook that prints or stores the values that the options select.
std::function<void(mlir::Value, const lathe::Tensor &, llvm::ArrayRef<int64_t>)> traceHook(const RunOptions &options,
                                                                                           TraceOutcome &outcome);

#endif
