// --bisect: finds the stage of the compiler that changes results.
#ifndef LATHE_TOOLS_LATHE_RUN_BISECT_H
#define LATHE_TOOLS_LATHE_RUN_BISECT_H

#include "tools/lathe-run/Runner.h"

/// Interprets the graph after each stage, then runs `compiled`, and compares with the interpreter's results to --rtol and
/// --atol. The failure names the first stage that differs.
std::optional<Failure> bisect(Runner &compiled, const Tensors &inputs, const RunOptions &options);

/// Returns the stages of the compiler whose graphs the interpreter runs, in order.
std::vector<std::string> interpretableStages();

#endif
