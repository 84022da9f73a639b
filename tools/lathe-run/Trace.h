// What the interpreter tells while it runs: the graph's own prints, and --trace.
#ifndef LATHE_TOOLS_LATHE_RUN_TRACE_H
#define LATHE_TOOLS_LATHE_RUN_TRACE_H

#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "tools/lathe-run/Options.h"

/// Prints as compiled code does by its context.
std::function<void(mlir::Operation *, const lathe::Tensor &, const lathe::Tensor *)> printHook(const std::string &graph);

/// Prints or stores the values that the options ask for; `error` says why one could not be stored.
std::function<void(mlir::Value, const lathe::Tensor &, llvm::ArrayRef<int64_t>)> traceHook(const RunOptions &options,
                                                                                           std::string &error);

#endif
