// What a run leaves behind, to be compared with another way of running it.
#ifndef LATHE_TOOLS_LATHE_RUN_OUTCOME_H
#define LATHE_TOOLS_LATHE_RUN_OUTCOME_H

#include "tools/lathe-run/Runner.h"

/// An entry's results, and then the values of its module's variables, each under its name in words: "result 'y'".
struct Outcome {
  std::vector<std::pair<std::string, lathe::Tensor>> values;
};

using Variables = std::vector<std::pair<std::string, lathe::Tensor>>;
/// All of a module's, as they are now.
Variables variablesOf(const Runner &runner);

/// `results` of a run that has just ended, with the variables as it left them.
Outcome outcomeOf(const Runner &runner, Tensors results);

/// Runs an entry once from the given state, and the interpreter as `options` choose it.
Expected<Outcome> runOnce(Runner &runner, const Tensors &inputs, const Variables &state);
Expected<Outcome> interpretOnce(const RunOptions &options, const Tensors &inputs, const Variables &state);

/// How closely the values agree, all of them in one sentence; of outcomes that do not differ.
std::string agreementOf(const Outcome &actual, const Outcome &expected);

/// The first value that differs by more than --rtol and --atol, in words; empty if none does.
std::string differenceOf(const Outcome &actual, const Outcome &expected, const RunOptions &options);

#endif
