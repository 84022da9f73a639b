// The outcome of a run, for comparison with another way to run the graph.
#ifndef LATHE_TOOLS_LATHE_RUN_OUTCOME_H
#define LATHE_TOOLS_LATHE_RUN_OUTCOME_H

#include "tools/lathe-run/Runner.h"

/// An entry's results, then the values of its module's variables, each with a descriptive name: "result 'y'".
struct Outcome {
  std::vector<std::pair<std::string, lathe::Tensor>> values;
};

using Variables = std::vector<std::pair<std::string, lathe::Tensor>>;
/// Returns the current values of all variables of a module.
Variables variablesOf(const Runner &runner);

/// Returns `results` of a run that has just ended, with the variables after it.
Outcome outcomeOf(const Runner &runner, Tensors results);

/// Runs an entry once from the given state, in `runner` or in the interpreter that `options` choose.
Expected<Outcome> runOnce(Runner &runner, const Tensors &inputs, const Variables &state);
Expected<Outcome> interpretOnce(const RunOptions &options, const Tensors &inputs, const Variables &state);

/// Returns a sentence about how closely the values agree, for outcomes that do not differ.
std::string agreementOf(const Outcome &actual, const Outcome &expected);

/// Describes the first value that differs by more than --rtol and --atol; empty if none does.
std::string differenceOf(const Outcome &actual, const Outcome &expected, const RunOptions &options);

#endif
