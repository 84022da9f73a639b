// lathe-run: runs, checks and times an entry of a graph.
#include "lib/Import/Constants/ConstInputs.h"
#include "tools/lathe-run/Benchmark.h"
#include "tools/lathe-run/Bisect.h"
#include "tools/lathe-run/Gradcheck.h"
#include "tools/lathe-run/Inputs.h"
#include "tools/lathe-run/Npy.h"
#include "tools/lathe-run/Options.h"
#include "tools/lathe-run/Outcome.h"
#include "tools/lathe-run/OutputFiles.h"
#include "tools/lathe-run/Profile.h"
#include "tools/lathe-run/Report.h"
#include "tools/lathe-run/Runner.h"
#include "tools/lathe-run/StateFile.h"
#include "tools/lathe-run/TestData.h"
#include "tools/lathe-run/Tune.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include <cstdio>
#include <cstdlib>
#include <new>

using namespace lathe;

static int report(const Failure &failure) {
  std::fflush(stdout); // results before the error
  if (!failure.reason.empty())
    std::fprintf(stderr, "%s%s\n", failure.isLocated ? "" : "lathe-run: error: ", failure.reason.c_str());
  return failure.code;
}

/// Checks that names given to --output and --expect are results.
static std::string checkNames(const Signature &signature, const std::map<std::string, std::string> &given) {
  std::string names;
  for (const Parameter &result : signature.results)
    names += (names.empty() ? "" : ", ") + result.name;
  for (auto &[name, text] : given)
    if (llvm::none_of(signature.results, [&](const Parameter &result) { return result.name == name; }))
      return "'" + name + "': @" + signature.function + " has no such result; it has " + (names.empty() ? "none" : names);
  return "";
}

/// Reports how closely a result matches the expected one, or fails.
static std::optional<Failure> compareResult(const std::string &name, const Tensor &tensor, const Tensor &wanted,
                                            const RunOptions &options) {
  std::string difference = compare(tensor, wanted, options.rtol, options.atol);
  if (!difference.empty())
    return Failure{kDiffers, "result '" + name + "': " + difference};
  std::printf("expect: result '%s' as expected: %s\n", name.c_str(), agreement(tensor, wanted).c_str());
  return std::nullopt;
}

/// Compares a result with a test data folder.
static std::optional<Failure> compareWith(const std::string &name, const Tensor &tensor, const TestData &data,
                                          const RunOptions &options) {
  auto wanted = data.results.find(name);
  if (wanted == data.results.end())
    return std::nullopt;
  return compareResult(name, tensor, wanted->second, options);
}

/// Stores or prints one result, and compares it.
static std::optional<Failure> handleResult(const std::string &name, const Tensor &tensor, const RunOptions &options) {
  auto output = options.outputs.find(name), expected = options.expected.find(name);
  if (output == options.outputs.end())
    std::printf("%s\n", describe(name, tensor).c_str());
  else if (std::string reason = writeNpy(output->second.substr(1), tensor); !reason.empty())
    return Failure{kWrongUsage, reason};
  if (expected == options.expected.end())
    return std::nullopt;
  Expected<Tensor> wanted = makeValue(name, expected->second, tensor.getElement(), tensor.getShape());
  if (auto *failure = std::get_if<Failure>(&wanted))
    return *failure;
  return compareResult(name, tensor, std::get<Tensor>(wanted), options);
}

/// Stores all inputs and results as FOLDER/in-NAME.npy and out-NAME.npy.
static std::optional<Failure> saveAll(const Signature &signature, const Tensors &inputs, const Tensors &results,
                                      const std::string &folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return Failure{kWrongUsage, "cannot make the folder '" + folder + "': " + error.message()};
  auto save = [&](const char *kind, const std::vector<Parameter> &parameters, const Tensors &tensors) {
    for (size_t i = 0; i < parameters.size(); ++i)
      if (std::string reason = writeNpy(folder + "/" + kind + parameters[i].name + ".npy", tensors[i]); !reason.empty())
        return reason;
    return std::string();
  };
  std::string reason = save("in-", signature.inputs, inputs);
  if (reason.empty())
    reason = save("out-", signature.results, results);
  return reason.empty() ? std::nullopt : std::optional(Failure{kWrongUsage, reason});
}

/// Compares the results and state of compiled code with the interpreter's, from equal inputs and state.
static int check(const Outcome &outcome, const Tensors &inputs, const Variables &state, const RunOptions &options) {
  Expected<Outcome> expected = interpretOnce(options, inputs, state);
  if (auto *failure = std::get_if<Failure>(&expected))
    return report(*failure);
  std::string difference = differenceOf(outcome, std::get<Outcome>(expected), options);
  if (!difference.empty())
    return report({kDiffers, "not as interpreted: " + difference});
  std::printf("check: as interpreted: %s\n", agreementOf(outcome, std::get<Outcome>(expected)).c_str());
  return kFine;
}

static int runEntry(Runner &runner, const RunOptions &options) {
  const Signature &signature = runner.getSignature();
  for (auto *given : {&options.outputs, &options.expected})
    if (std::string reason = checkNames(signature, *given); !reason.empty())
      return report({kWrongUsage, reason});
  if (std::string reason = checkOutputFiles(signature, options); !reason.empty())
    return report({kWrongUsage, reason});
  TestData data;
  if (!options.testData.empty()) {
    static const std::set<std::string> kNone;
    Expected<TestData> read = readTestData(options.testData, signature, options.constants ? options.constants->taken : kNone);
    if (auto *failure = std::get_if<Failure>(&read))
      return report(*failure);
    data = std::get<TestData>(std::move(read));
  }
  Expected<Tensors> inputs = makeInputs(signature, options, data.inputs);
  if (auto *failure = std::get_if<Failure>(&inputs))
    return report(*failure);
  if (!options.loadState.empty())
    if (std::optional<Failure> failure = loadState(runner, options))
      return report(*failure);
  if (options.bisect) {
    std::optional<Failure> failure = bisect(runner, std::get<Tensors>(inputs), options);
    return failure ? report(*failure) : kFine;
  }
  if (options.benchmarkSeconds > 0)
    if (std::optional<Failure> failure =
            benchmark(runner, std::get<Tensors>(inputs), options.benchmarkSeconds, options.benchmarkOutput))
      return report(*failure);
  if (options.profile)
    if (std::optional<Failure> failure = profile(runner, std::get<Tensors>(inputs), options))
      return report(*failure);
  if (options.benchmarkSeconds > 0 || options.profile)
    return kFine;
  const Variables state = variablesOf(runner);
  Expected<Tensors> results = runner.run(std::get<Tensors>(inputs));
  if (auto *failure = std::get_if<Failure>(&results))
    return report(*failure);
  if (!options.saveState.empty())
    if (std::optional<Failure> failure = saveState(runner, options))
      return report(*failure);
  if (!options.saveFolder.empty())
    if (std::optional<Failure> failure =
            saveAll(signature, std::get<Tensors>(inputs), std::get<Tensors>(results), options.saveFolder))
      return report(*failure);
  int code = kFine;
  if (options.check)
    code = check(outcomeOf(runner, std::get<Tensors>(results)), std::get<Tensors>(inputs), state, options);
  for (size_t i = 0; i < signature.results.size(); ++i)
    if (std::optional<Failure> failure = handleResult(signature.results[i].name, std::get<Tensors>(results)[i], options))
      code = std::max(code, report(*failure));
  for (size_t i = 0; i < signature.results.size(); ++i)
    if (std::optional<Failure> failure = compareWith(signature.results[i].name, std::get<Tensors>(results)[i], data, options))
      code = std::max(code, report(*failure));
  return code;
}

/// Reports that memory is exhausted: values may be as large as a graph requests.
[[noreturn]] static void outOfMemory() {
  std::fputs("lathe-run: error: out of memory\n", stderr);
  std::_Exit(kFailed);
}

/// Loads the libraries for interpreted and compiled code: their symbols become the process's.
static std::optional<Failure> loadLibraries(const RunOptions &options) {
  for (const std::string &file : options.libraries) {
    std::string error, path = file.find('/') == std::string::npos ? "./" + file : file;
    if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(path.c_str(), &error))
      return Failure{kWrongUsage, "--library: " + error};
  }
  return std::nullopt;
}

int main(int argc, char **argv) {
  std::set_new_handler(outOfMemory);
  int exitCode = kFine;
  std::optional<RunOptions> options = parseOptions(argc, argv, &exitCode);
  if (!options)
    return exitCode;
  if (std::optional<Failure> failure = loadLibraries(*options))
    return report(*failure);
  if (options->constInputs != "none")
    options->constants = makeConstInputs(*options, readTestInputs(options->testData));
  if (!options->gradcheck.empty()) {
    std::optional<Failure> failure = gradcheck(*options);
    return failure ? report(*failure) : kFine;
  }
  if (options->tuneSeconds > 0) {
    std::optional<Failure> failure = tune(*options);
    return failure ? report(*failure) : kFine;
  }
  Expected<std::unique_ptr<Runner>> runner = createRunner(*options);
  if (auto *failure = std::get_if<Failure>(&runner))
    return report(*failure);
  return runEntry(*std::get<std::unique_ptr<Runner>>(runner), *options);
}
