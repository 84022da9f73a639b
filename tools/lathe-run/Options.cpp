#include "tools/lathe-run/Options.h"
#include "lib/Support/Text.h"
#include "tools/SharedOptions.h"
#include "tools/lathe-run/Bisect.h"
#include "tools/lathe-run/Stacks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <iostream>

static const char *kFooter = R"(Examples:
  lathe-run product.mlir --input a=15 --input b=20
  lathe-run digits.mlir predict --input image=@images.npy --output logits=@logits.npy
  lathe-run digits.mlir loss --random --dim N=4 --interpret
An input is a .npy file (@FILE), a number for every element, or random[:SEED]: floats from -1 to 1, integers from 0 to 9.
--gradcheck runs the graph in f64. It samples 8 random unit directions and 32 entries of each tensor. The derivative d and the
central difference D must agree: |d - D| <= 1e-5 * max(|d|, |D|, r), where r is the root mean square of the tensor's gradient.
Samples at kinks are skipped and counted; the check fails if more than a quarter are skipped. lathe.stop_gradient changes d but
not D.
Exit status: 0 success, 1 values differ, 2 wrong usage or input, 3 the graph has errors, 4 failed while running.)";

namespace {
struct RawOptions {
  std::vector<std::string> inputs, outputs, expected;
  lathe::SharedOptions shared;
  std::string trace, profile, ranks, weights = "embed";
};
} // namespace

/// Adds the options for code generation and execution.
static void addCodeOptions(CLI::App &app, RunOptions &options, RawOptions &raw) {
  app.add_option("--library", options.libraries, "Shared library with functions that lathe.extern calls; may be repeated")
      ->allow_extra_args(false)
      ->group("Code");
  raw.shared.addTo(app, options.compile);
  app.add_option("--weights", raw.weights, "embed (default) or extern, as in lathec; models larger than 1.5 GiB need extern")
      ->check(CLI::IsMember({"embed", "extern"}))
      ->group("Code");
  app.add_option(
         "--target", options.compile.target,
         "As in lathec (default host). With a GPU target, such as cuda:sm_90, the code runs on a GPU; host,cuda:sm_90 runs on "
         "the CPU if there is no GPU")
      ->group("Code");
  app.add_option("--device", options.device, "Number of the GPU (default 0)")->check(CLI::NonNegativeNumber)->group("Code");
  app.add_flag("--device-arguments", options.placesArguments, "Keep inputs and results in the GPU's memory during a call")
      ->group("Code");
  app.add_option("-O", options.compile.optLevel, "Optimisation level, 0 to 3, as in lathec (default 2)")
      ->check(CLI::Range(0, 3))
      ->group("Code");
  app.add_option("--threads", options.threads, "Number of threads; 0: one per core (default 1)")
      ->check(CLI::Range(0, 1024))
      ->group("Code");
}

/// Adds the options that compare, time and explain runs.
static void addInsightOptions(CLI::App &app, RunOptions &options, RawOptions &raw) {
  app.add_flag("--check", options.check, "Compare compiled code with the interpreter, to --rtol and --atol")->group("Insight");
  app.add_flag(
         "--gradcheck{sample}", options.gradcheck,
         "Compare derivatives with finite differences in f64: of FUNCTION with respect to each float input and variable, or of "
         "the losses that it minimises with respect to each variable. Checks 32 entries of each tensor; --gradcheck=all "
         "checks all")
      ->check(CLI::IsMember({"sample", "all"}))
      ->group("Insight");
  app.add_option("--benchmark", options.benchmarkSeconds, "Time warm runs for this many seconds (default 1)")
      ->expected(0, 1)
      ->default_str("1")
      ->check(CLI::PositiveNumber)
      ->group("Insight");
  app.add_option("--benchmark-output", options.benchmarkOutput,
                 "Also write the times of --benchmark to this file as JSON, in seconds")
      ->group("Insight");
  app.add_flag(
         "--profile{-}", raw.profile,
         "Report kernels by time, with their source lines, rates and share of the machine's limit, and totals by op and by "
         "line; --profile=TRACE.json also stores a trace for Perfetto, chrome://tracing and lathec --report-profile")
      ->group("Insight");
  app.add_flag(
         "--measure-machine", options.measuresMachine,
         "With --profile: measure the machine's limits again; otherwise those of the first profile are used, which are in "
         "lathe/machine.json of the user's cache")
      ->group("Insight");
  app.add_option(
         "--tune", options.tuneSeconds,
         "Measure other schedules of the kernels for about this many seconds, and write the faster ones to --tune-output")
      ->check(CLI::PositiveNumber)
      ->group("Insight");
  app.add_option("--tune-output", options.tuneFile,
                 "With --tune: the file of schedules, for --schedule of lathec and lathe-run (default: GRAPH's stem.schedules)")
      ->group("Insight");
  app.add_flag("--check-finite", options.compile.checkFinite,
               "Fail at the first op that produces a NaN or an infinity from finite values, in compiled or interpreted code")
      ->group("Insight");
  app.add_flag("--check-bounds", options.compile.checkBounds, "Fail at the first op that accesses a tensor out of bounds")
      ->group("Insight");
  app.add_flag(
         "--trace{*}", raw.trace,
         "Interpret the graph, and print each value with its line and, in loops, its step; --trace=h,12 prints only values "
         "named h or on line 12")
      ->group("Insight");
  app.add_option("--trace-dir", options.traceFolder, "With --trace: store each value as LINE-NAME.npy in this folder instead")
      ->group("Insight");
  app.add_flag("--bisect", options.bisect,
               "Name the first stage of the compiler after which results differ from the interpreter's")
      ->group("Insight");
  app.add_option("--after", options.after, "With --interpret: run the graph as it is after this stage of the compiler")
      ->check(CLI::IsMember(interpretableStages()))
      ->group("Insight");
}

static void addOptions(CLI::App &app, RunOptions &options, RawOptions &raw) {
  app.add_option("GRAPH", options.graph, lathe::kGraphHelp)->required();
  app.add_option("FUNCTION", options.function, "The entry to run (default: the first public function)");
  app.add_option("--input", raw.inputs, "NAME=@F.npy, NAME=3.5 or NAME=random[:SEED]; may be repeated")
      ->allow_extra_args(false) // here and below: the next word is the graph, not a further value
      ->group("Values");
  app.add_flag("--random", options.randomRest, "Fill the other inputs with random numbers")->group("Values");
  app.add_option("--output", raw.outputs, "NAME=@F.npy: store a result instead of printing it")
      ->allow_extra_args(false)
      ->group("Values");
  app.add_option("--save", options.saveFolder, "Store all inputs and results in this folder: in-NAME.npy, out-NAME.npy")
      ->group("Values");
  app.add_option("--expect", raw.expected, "NAME=@F.npy or NAME=3.5: compare a result")
      ->allow_extra_args(false)
      ->group("Values");
  app.add_option("--test-data", options.testData,
                 "ONNX test_data_set folder: read its inputs, and compare with its outputs to --rtol and --atol")
      ->group("Values");
  app.add_option(
         "--const-inputs", options.constInputs,
         "Inputs to make constant: auto (those that the compiler needs as constants), none (default) or names A,B. Their "
         "values come from --input")
      ->group("Values");
  app.add_option("--rtol", options.rtol, "Relative tolerance of --expect (default 1e-3)")->group("Values");
  app.add_option("--atol", options.atol, "Absolute tolerance of --expect (default 1e-7)")->group("Values");
  app.add_option("--load-state", options.loadState, "Read the variables from this safetensors file before the run")
      ->group("Values");
  app.add_flag("--partial-state", options.partialState,
               "Accept a --load-state file with missing variables or unknown tensors, and report them")
      ->group("Values");
  app.add_option("--save-state", options.saveState, "Store the variables in this safetensors file after the run")
      ->group("Values");
  app.add_option("--seed", options.seed, "Seed of the variables' initial values (default 0)")->group("Values");
  addCodeOptions(app, options, raw);
  addInsightOptions(app, options, raw);
  app.add_option("--ranks", raw.ranks,
                 "Run on several ranks of this process, AXIS=N[,AXIS=N] or a number for the axis data. The first dimension of "
                 "each input, result and variable then counts the ranks")
      ->group("Code");
  app.add_flag("--interpret", options.interpret, "Run the reference interpreter instead of compiled code")->group("Code");
}

/// Splits "NAME=VALUE" texts. Returns a message that names the option and the wrong text, or an empty string. A name is that of
/// the graph or of the field in the header, where characters other than letters and digits are underscores, and `prefix` comes
/// before a digit.
static std::string splitAll(const std::string &option, const std::vector<std::string> &texts, llvm::StringRef prefix, bool file,
                            std::map<std::string, std::string> &values) {
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return option + ": expected NAME=VALUE, got '" + text + "'";
    std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    if (value == "@" || (file && value[0] != '@'))
      return option + ": expected NAME=@FILE.npy, got '" + text + "'";
    if (!values.emplace(lathe::toCIdentifier(name, prefix), value).second)
      return option + ": '" + name + "' occurs twice";
  }
  return "";
}

/// Rejects options that need the graph if the input is an object. --bisect and --gradcheck check this themselves.
static std::string checkObject(const RunOptions &options) {
  if (!options.isObject())
    return "";
  if (options.compile.checkFinite || options.compile.checkBounds)
    return "--check-finite and --check-bounds need the graph; for an object, compile it with lathec --check=finite,bounds";
  if (!options.compile.stateInitializers.empty() || !options.compile.stateArguments.empty())
    return "--state needs the graph: the variables of an object are fixed";
  if (!options.compile.dimFormulas.empty() || !options.compile.dimBroadcasts.empty())
    return "--dim with an expression needs the graph: give an object's dimensions sizes, such as N=4";
  if (!options.compile.maxSteps.empty())
    return "--max-steps needs the graph: the loops of an object are fixed";
  if (options.constInputs != "none")
    return "--const-inputs needs the graph: the inputs of an object are fixed";
  if (options.trace || options.interpret || options.check)
    return std::string(options.trace       ? "--trace"
                       : options.interpret ? "--interpret"
                                           : "--check") +
           " needs the graph: an object cannot be interpreted";
  return "";
}

/// Rejects combinations of exclusive ways to run a graph.
static std::string checkWays(const RunOptions &options) {
  bool others = options.check || options.bisect || options.profile || options.benchmarkSeconds > 0;
  if (options.trace && (others || !options.gradcheck.empty()))
    return "--trace interprets the graph once; it cannot be combined with another way to run it or with a comparison";
  if (!options.gradcheck.empty() && (others || !options.outputs.empty() || !options.expected.empty() || !options.after.empty()))
    return "--gradcheck can be combined with inputs and --interpret only, not with another way to run a graph";
  if (!options.gradcheck.empty() && !(options.loadState + options.saveState).empty())
    return "--load-state and --save-state cannot be combined with --gradcheck, which uses random variables";
  if (!options.saveState.empty() && (options.bisect || options.profile || options.benchmarkSeconds > 0))
    return "--save-state needs a single run; --bisect, --profile and --benchmark run the graph several times";
  if (!options.ranks.empty() && (options.profile || options.trace || options.bisect))
    return "--ranks runs an entry on all ranks; --profile, --trace and --bisect look at one";
  if (!options.ranks.empty() && options.wantsDevice())
    return "--ranks runs on the CPU; start GPU code on several ranks with a communicator of its own";
  if (!options.benchmarkOutput.empty() && options.benchmarkSeconds == 0)
    return "--benchmark-output needs --benchmark";
  if (options.measuresMachine && !options.profile)
    return "--measure-machine needs --profile";
  return "";
}

/// Rejects what --tune cannot be combined with, and names its output.
static std::string resolveTune(RunOptions &options) {
  if (options.tuneSeconds == 0)
    return options.tuneFile.empty() ? "" : "--tune-output needs --tune";
  if (options.isObject() || options.interpret || options.graph == "-")
    return "--tune needs the file of a graph, which it compiles many times";
  if (options.benchmarkSeconds > 0 || options.profile || options.check || options.bisect || !options.gradcheck.empty() ||
      !options.outputs.empty() || !options.expected.empty() || !(options.loadState + options.saveState).empty())
    return "--tune cannot be combined with another way to run the graph or with files of results and state";
  if (options.tuneFile.empty())
    options.tuneFile = llvm::sys::path::stem(options.graph).str() + ".schedules";
  return "";
}

static std::string resolve(RunOptions &options, const RawOptions &raw) {
  for (const std::string &error :
       {splitAll("--input", raw.inputs, "arg", false, options.inputs),
        splitAll("--output", raw.outputs, "out", true, options.outputs),
        splitAll("--expect", raw.expected, "out", false, options.expected), raw.shared.read(options.compile)})
    if (!error.empty())
      return error;
  options.dims = options.compile.fixedDims;
  if (!raw.ranks.empty()) {
    std::optional<std::vector<lathe::RankAxis>> axes = parseRanks(raw.ranks);
    if (!axes)
      return "--ranks: expected a number of ranks or AXIS=N[,AXIS=N], at most 1024 in all, got '" + raw.ranks + "'";
    options.ranks = *axes;
  }
  options.profile = !raw.profile.empty();
  options.profileTrace = raw.profile == "-" ? "" : raw.profile;
  options.compile.describe = options.profile;
  options.compile.externWeights = raw.weights == "extern";
  for (auto &[name, sizes] : options.compile.specialize) // --dim is then the inputs' size; the entry selects the version
    options.compile.fixedDims.erase(name);
  for (auto &[function, shard] : options.compile.rankShards) // the pass finds the batch by its name
    options.compile.fixedDims.erase(llvm::StringRef(shard).split('@').first.str());
  if (!(options.rtol >= 0) || !(options.atol >= 0)) // rejects NaN, too
    return "--rtol and --atol: expected numbers of 0 or more";
  if (!raw.trace.empty()) {
    options.interpret = true;
    options.trace.emplace();
    for (llvm::StringRef value : llvm::split(raw.trace, ','))
      if (value != "*")
        options.trace->push_back(value.str());
  } else if (!options.traceFolder.empty()) {
    return "--trace-dir needs --trace";
  }
  if (options.partialState && options.loadState.empty())
    return "--partial-state needs --load-state";
  if (std::string error = resolveTune(options); !error.empty())
    return error;
  if (!options.after.empty() && !options.interpret)
    return "--after needs --interpret";
  if (options.gradcheck.empty())
    options.compile.entryToRun = options.function;
  std::string error = checkObject(options);
  return error.empty() ? checkWays(options) : error;
}

/// Returns the command line, last word first. --benchmark takes the next word if that is a number; otherwise it has no value.
static std::vector<std::string> wordsOf(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    double seconds;
    if (words[i] == "--benchmark" && (i + 1 == words.size() || !llvm::to_float(words[i + 1], seconds)))
      words[i] += "=1";
  }
  std::reverse(words.begin(), words.end());
  return words;
}

std::optional<RunOptions> parseOptions(int argc, char **argv, int *exitCode) {
  CLI::App app{"Runs, checks and times a Lathe graph or a compiled object.", "lathe-run"};
  app.footer(kFooter);
  app.set_version_flag("--version", "lathe-run " LATHE_VERSION);
  RunOptions options;
  options.compile.ptxas = "none"; // the driver compiles PTX for the present device
  RawOptions raw;
  addOptions(app, options, raw);
  std::string error;
  try {
    app.parse(wordsOf(argc, argv));
    error = resolve(options, raw);
  } catch (const CLI::ParseError &problem) {
    *exitCode = app.exit(problem) == 0 ? kFine : kWrongUsage;
    return std::nullopt;
  }
  if (!error.empty()) {
    std::cerr << "lathe-run: error: " << error << "\n";
    *exitCode = kWrongUsage;
    return std::nullopt;
  }
  return options;
}
