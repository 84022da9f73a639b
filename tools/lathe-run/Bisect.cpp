#include "tools/lathe-run/Bisect.h"
#include "tools/lathe-run/Report.h"
#include <cstdio>

using namespace lathe;

static Expected<Tensors> interpretAfter(const std::string &stage, const Tensors &inputs, RunOptions options) {
  options.after = stage;
  Expected<std::unique_ptr<Runner>> runner = createInterpreterRunner(options);
  if (auto *failure = std::get_if<Failure>(&runner))
    return *failure;
  return std::get<std::unique_ptr<Runner>>(runner)->run(inputs);
}

/// The first result that differs, in words; empty if none does.
static std::string differenceOf(const Signature &signature, const Tensors &results, const Tensors &expected,
                                const RunOptions &options) {
  for (size_t i = 0; i < results.size(); ++i)
    if (std::string text = compare(results[i], expected[i], options.rtol, options.atol); !text.empty())
      return "result '" + signature.results[i].name + "': " + text;
  return "";
}

std::optional<Failure> bisect(Runner &compiled, const Tensors &inputs, const RunOptions &options) {
  if (options.graph.ends_with(".o") || options.graph.ends_with(".so"))
    return Failure{kWrongUsage, "--bisect needs the graph, an object has no stages"};
  Expected<Tensors> expected = interpretAfter("", inputs, options);
  if (auto *failure = std::get_if<Failure>(&expected))
    return *failure;
  for (std::string stage : {"autodiff", "layout", "specialize", "fusion", "plan", "kernels", "machine code"}) {
    Expected<Tensors> results = stage == "machine code" ? compiled.run(inputs) : interpretAfter(stage, inputs, options);
    if (auto *failure = std::get_if<Failure>(&results))
      return Failure{failure->code, "stage '" + stage + "' failed" + (failure->reason.empty() ? "" : ": " + failure->reason)};
    std::string difference =
        differenceOf(compiled.getSignature(), std::get<Tensors>(results), std::get<Tensors>(expected), options);
    std::printf("%-12s %s\n", stage.c_str(), difference.empty() ? "as interpreted" : difference.c_str());
    if (!difference.empty())
      return Failure{kDiffers, "results change in stage '" + stage + "'"};
  }
  return std::nullopt;
}
