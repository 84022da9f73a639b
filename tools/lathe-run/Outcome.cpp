#include "tools/lathe-run/Outcome.h"
#include "tools/lathe-run/Report.h"

using namespace lathe;

Variables variablesOf(const Runner &runner) {
  Variables variables;
  for (const std::string &name : runner.getVariables())
    variables.emplace_back(name, runner.getVariable(name));
  return variables;
}

Outcome outcomeOf(const Runner &runner, Tensors results) {
  Outcome outcome;
  for (size_t i = 0; i < results.size(); ++i)
    outcome.values.emplace_back("result '" + runner.getSignature().results[i].name + "'", std::move(results[i]));
  for (auto &[name, value] : variablesOf(runner))
    outcome.values.emplace_back("variable @" + name, std::move(value));
  return outcome;
}

Expected<Outcome> runOnce(Runner &runner, const Tensors &inputs, const Variables &state) {
  for (auto &[name, value] : state)
    runner.setVariable(name, value);
  Expected<Tensors> results = runner.run(inputs);
  if (auto *failure = std::get_if<Failure>(&results))
    return *failure;
  return outcomeOf(runner, std::get<Tensors>(std::move(results)));
}

Expected<Outcome> interpretOnce(const RunOptions &options, const Tensors &inputs, const Variables &state) {
  RunOptions silent = options; // it accompanies another run, which has shown all prints
  silent.prints = false;
  silent.trace.reset();
  Expected<std::unique_ptr<Runner>> runner = createInterpreterRunner(silent);
  if (auto *failure = std::get_if<Failure>(&runner))
    return *failure;
  return runOnce(*std::get<std::unique_ptr<Runner>>(runner), inputs, state);
}

std::string differenceOf(const Outcome &actual, const Outcome &expected, const RunOptions &options) {
  for (auto &[name, value] : actual.values) {
    auto other = llvm::find_if(expected.values, [&](auto &each) { return each.first == name; });
    if (other == expected.values.end())
      return name + " is missing in the other run";
    if (std::string text = compare(value, other->second, options.rtol, options.atol); !text.empty())
      return name + ": " + text;
  }
  return "";
}

std::string agreementOf(const Outcome &actual, const Outcome &expected) {
  std::string text;
  for (auto &[name, value] : actual.values) {
    auto other = llvm::find_if(expected.values, [&](auto &each) { return each.first == name; });
    text += (text.empty() ? "" : ", ") + name + " " + agreement(value, other->second);
  }
  return text.empty() ? "there is nothing to compare" : text;
}
