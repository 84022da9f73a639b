#include "tools/lathe-run/Bisect.h"
#include "lathe/Compiler.h"
#include "tools/lathe-run/Outcome.h"
#include <algorithm>
#include <cstdio>

using namespace lathe;

static Expected<Outcome> interpretAfter(const std::string &stage, const Tensors &inputs, const Variables &state,
                                        RunOptions options) {
  options.after = stage;
  return interpretOnce(options, inputs, state);
}

std::vector<std::string> interpretableStages() {
  std::vector<std::string> names = lathe::stageNames();
  return {std::find(names.begin(), names.end(), "autodiff"), std::find(names.begin(), names.end(), "llvm")};
}

std::optional<Failure> bisect(Runner &compiled, const Tensors &inputs, const RunOptions &options) {
  if (options.isObject())
    return Failure{kWrongUsage, "--bisect needs the graph; an object has no stages"};
  const Variables state = variablesOf(compiled);
  Expected<Outcome> expected = interpretAfter("", inputs, state, options);
  if (auto *failure = std::get_if<Failure>(&expected))
    return *failure;
  std::vector<std::string> stages = interpretableStages();
  stages.push_back("machine code");
  for (const std::string &stage : stages) {
    Expected<Outcome> outcome =
        stage == "machine code" ? runOnce(compiled, inputs, state) : interpretAfter(stage, inputs, state, options);
    if (auto *failure = std::get_if<Failure>(&outcome))
      return Failure{failure->code, "stage '" + stage + "' failed" + (failure->reason.empty() ? "" : ": " + failure->reason)};
    std::string difference = differenceOf(std::get<Outcome>(outcome), std::get<Outcome>(expected), options);
    std::printf("%-12s %s\n", stage.c_str(), difference.empty() ? "as interpreted" : difference.c_str());
    if (!difference.empty())
      return Failure{kDiffers, "results change in stage '" + stage + "'"};
  }
  return std::nullopt;
}
