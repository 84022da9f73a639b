// What the interpreter tells while it runs: the graph's own prints, and --trace.
#ifndef LATHE_TOOLS_LATHE_RUN_TRACE_H
#define LATHE_TOOLS_LATHE_RUN_TRACE_H

#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "tools/lathe-run/Options.h"

/// Prints as compiled code does by its context.
std::function<void(mlir::Operation *, const lathe::Tensor &, const lathe::Tensor *)> printHook(const std::string &graph);

/// The outcome of --trace.
struct TraceOutcome {
  std::string error;               // why a value could not be stored
  std::vector<std::string> unseen; // names and lines that no value had so far

  /// The first sentence about it; empty if all is well.
  std::string fault() const;
};

/// Prints or stores the values that the options ask for.
std::function<void(mlir::Value, const lathe::Tensor &, llvm::ArrayRef<int64_t>)> traceHook(const RunOptions &options,
                                                                                           TraceOutcome &outcome);

#endif
