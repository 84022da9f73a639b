#include "tools/lathec/Options.h"
#include "codegen/Emit/Targets.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/Gradients.h"
#include "tools/SharedOptions.h"
#include "tools/lathec/Output.h"
#include "tools/lathec/OutputNames.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <iostream>
#include <unistd.h>

using lathe::EmitKind;

static const std::map<std::string, EmitKind> kEmitKinds = {
    {"obj", EmitKind::Object},    {"asm", EmitKind::Assembly},
    {"llvm", EmitKind::LLVM},     {"bitcode", EmitKind::Bitcode},
    {"header", EmitKind::Header}, {"mlir", EmitKind::MLIR},
    {"shared", EmitKind::Shared}, {"static-lib", EmitKind::StaticLibrary},
    {"ptx", EmitKind::PTX},       {"none", EmitKind::None}};

static const std::map<std::string, lathe::Sanitizer> kSanitizers = {
    {"", lathe::Sanitizer::None}, {"address", lathe::Sanitizer::Address}, {"thread", lathe::Sanitizer::Thread}};

static const char *kFooter = R"(Examples:
  lathec digits.mlir -o digits.o                 object and header digits.h, for this machine
  lathec digits.mlir --specialize=N=1,32         specialised versions for these sizes in one entry
  lathec digits.mlir --emit=mlir --emit-stage=fusion -o -
Exit status: 0 success, 1 the graph has errors, 2 wrong usage, 3 a bug in Lathe.)";

namespace {
struct RawOptions {
  std::string emit, emitStage = "plan", threads = "on", sanitize, weights = "embed", explain, timeReport;
  std::vector<std::string> gradients, checks, constInputs, tuneSizes;
  lathe::SharedOptions shared;
  unsigned optLevel = 2;
};
} // namespace

/// Adds the options for code generation.
static void addCodeOptions(CLI::App &app, lathe::CompileOptions &options, RawOptions &raw) {
  app.add_option(
         "--target", options.target,
         "host (default), x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-vnni, x86-64-v4-bf16 (several, separated by commas: the "
         "best one is selected at run time) or TRIPLE[:CPU[:FEATURES]]. Add cuda:sm_80 or another GPU for calls whose context has a GPU")
      ->group("Code");
  raw.shared.addTo(app, options);
  app.add_option("--ptxas", options.ptxas,
                 "NVIDIA's assembler, which compiles PTX ahead of time: its path, none, or auto (default), which searches "
                 "$LATHE_PTXAS, $CUDA_HOME and $PATH")
      ->group("Code");
  app.add_option("--grad", raw.gradients,
                 "Also export a function's values and gradients, as FUNCTION_grad: FUNCTION, or FUNCTION:wrt=A,B for the "
                 "gradients by these inputs or variables only; may be repeated")
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option("--const-input", raw.constInputs, "Make an input a constant: NAME=F.npy; may be repeated")
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option(
         "--weights", raw.weights,
         "embed (default): all constants are in the object; extern: large constants are in FILE.weights, with a loader in the header")
      ->check(CLI::IsMember({"embed", "extern"}))
      ->group("Code");
  app.add_option("--threads", raw.threads, "on (default), or off: entries take no context and run on the calling thread only")
      ->check(CLI::IsMember({"on", "off"}))
      ->group("Code");
  app.add_option("--sanitize", raw.sanitize, "address or thread: instrument the code for programs linked with -fsanitize=")
      ->check(CLI::IsMember({"address", "thread"}))
      ->group("Code");
  app.add_option(
         "--check", raw.checks,
         "finite, bounds: the object reports the first op that produces a NaN or an infinity, or that accesses a tensor out "
         "of bounds")
      ->delimiter(',')
      ->check(CLI::IsMember({"finite", "bounds"}))
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option(
         "-O", raw.optLevel,
         "0: one kernel per op, fast compilation; 1: fusion, fast compilation; 2, 3: fusion and optimised code (default 2)")
      ->check(CLI::Range(0, 3))
      ->group("Code");
  app.add_option("-j,--jobs", options.jobs,
                 "Threads that compile a large graph (default: one for each core). The output is the same for any number")
      ->check(CLI::Range(1, 1024))
      ->group("Code");
}

/// Adds the options for measuring schedules.
static void addTuneOptions(CLI::App &app, CommandLine &line, RawOptions &raw) {
  app.add_option(
         "--tune", line.tuneSeconds,
         "Measure other schedules of the kernels on this machine for about this many seconds, with random inputs, write the "
         "faster ones to --tune-output, and compile with them")
      ->check(CLI::PositiveNumber)
      ->group("Code");
  app.add_option("--tune-output", line.tuneFile,
                 "With --tune: the file of schedules, for --schedule of later compiles (default: GRAPH's stem.schedules)")
      ->group("Code");
  app.add_option("--tune-size", raw.tuneSizes,
                 "With --tune: measure with this size of a named dimension, N=32; may be repeated")
      ->allow_extra_args(false)
      ->group("Code");
}

static void addOptions(CLI::App &app, CommandLine &line, RawOptions &raw) {
  lathe::CompileOptions &options = line.options;
  app.add_option("GRAPH", line.graph, lathe::kGraphHelp)->required();
  app.add_option(
         "-o", line.output,
         "Output file; the header goes beside it. - writes to standard output. An extension of other files, such as .c, .md or "
         ".json, is refused")
      ->group("Output");
  app.add_option(
         "--emit", raw.emit,
         "Kind of output: obj, asm, llvm, bitcode, shared, static-lib, header, mlir, ptx, none (default: by the extension of "
         "-o, which is .o, .s, .ll, .bc, .so, .a, .h, .mlir or .ptx; obj without an extension or with an unknown one)")
      ->check(CLI::IsMember(kEmitKinds))
      ->group("Output");
  app.add_flag(
         "--cxx-header", line.cppHeader,
         "Also write FILE.hpp, the interface for C++17: a class with checked arguments that owns state, workspace and context. "
         "-o FILE.hpp means --emit=header --cxx-header")
      ->group("Output");
  app.add_option("--emit-stage", raw.emitStage, "With --emit=mlir: write the graph after this stage (default plan)")
      ->check(CLI::IsMember(lathe::stageNames()))
      ->group("Output");
  app.add_option(
         "--depfile", line.depfile,
         "Write a makefile rule with the outputs and every file read: the graph, the models that it calls, their external "
         "data and constant inputs")
      ->group("Output");
  app.add_option("--debug-prefix", options.debugPrefix,
                 "Folder in which debuggers look for the graph (default: none; debug information has base names only)")
      ->group("Output");
  app.add_option("--name", options.prefix, "Prefix of the C symbols (default: the graph's stem)")->group("Output");
  app.add_option("--entry", options.entries, "Functions to export (default: every public one)")
      ->delimiter(',')
      ->allow_extra_args(false) // here and elsewhere: the next word is the graph, not a further value
      ->group("Output");
  app.add_option("--save-stages", options.saveStages, "Write the graph after each stage into this folder")->group("Output");
  addCodeOptions(app, options, raw);
  addTuneOptions(app, line, raw);
  app.add_flag(
         "--explain{-}", raw.explain,
         "Report what was specialised, fused, planned and vectorised at each line, or why not; --explain=FILE.json writes a "
         "record for each decision instead, with its file, line, stage and kind")
      ->group("Insight");
  app.add_option(
         "--cluster", options.clusterFile,
         "With --explain: how long entries with collectives are expected to take on 8, 64 and 1024 ranks of the cluster "
         "that this JSON file describes (docs/ranks.md)")
      ->check(CLI::ExistingFile)
      ->group("Insight");
  app.add_flag("--time-report{-}", raw.timeReport,
               "Report how long each part of the compilation took; --time-report=FILE.json writes it as JSON instead")
      ->group("Insight");
  app.add_option(
         "--report", line.reportFile,
         "Write a report of the kernels, their memory and the decisions: FILE.html is a page for a browser, FILE.json the "
         "same numbers for programs")
      ->group("Insight");
  app.add_option("--report-profile", line.profileFile,
                 "With --report: a trace of lathe-run --profile=TRACE.json of the same graph, whose times the report shows")
      ->check(CLI::ExistingFile)
      ->group("Insight");
}

static std::string nameOfKind(EmitKind kind) {
  for (auto &[name, known] : kEmitKinds)
    if (known == kind)
      return name;
  return "";
}

/// Sets the kind of output from --emit and the extension of -o, which must agree. Returns an error, or an empty string.
static std::string resolveEmit(CommandLine &line, const std::string &emit) {
  std::optional<EmitKind> ofFile = kindOfEnding(line.output);
  line.options.emit = emit.empty() ? ofFile.value_or(EmitKind::Object) : kEmitKinds.at(emit);
  if (line.options.emit != EmitKind::None && isForeignEnding(line.output))
    return "-o " + line.output + ": lathec does not write '" + llvm::sys::path::extension(line.output).str() +
           "' files; use the extension of an output: " + outputEndings();
  if (ofFile && line.options.emit != EmitKind::None && *ofFile != line.options.emit)
    return "--emit=" + emit + " does not fit -o " + line.output + ", whose extension means --emit=" + nameOfKind(*ofFile) +
           "; remove one of them";
  line.cppHeader |= isCppHeader(line.output);
  if (line.cppHeader && !hasHeader(line.options.emit))
    return "--cxx-header goes with an output that has a header: obj, shared, static-lib or header";
  if (line.cppHeader && isStream(line.output))
    return "--cxx-header writes two files; name them with -o";
  return "";
}

/// Checks --report, which needs the schedules of the kernels and the reasons for them. Returns an error, or an empty string.
static std::string resolveReport(CommandLine &line) {
  if (line.reportFile.empty())
    return line.profileFile.empty() ? "" : "--report-profile needs --report";
  if (!llvm::StringRef(line.reportFile).ends_with(".html") && !llvm::StringRef(line.reportFile).ends_with(".json"))
    return "--report: expected a file that ends in .html or .json, got '" + line.reportFile + "'";
  if (line.options.emit == EmitKind::MLIR && line.options.emitStage != "kernels" && line.options.emitStage != "llvm")
    return "--report needs scheduled kernels, but --emit=mlir ends at the stage '" + line.options.emitStage +
           "'; use --emit=none or another output";
  line.options.describe = line.options.explain = true;
  return "";
}

/// Checks what goes with --tune, and names its file. Returns an error, or an empty string.
static std::string resolveTune(CommandLine &line, const RawOptions &raw) {
  if (line.tuneSeconds == 0)
    return line.tuneFile.empty() && raw.tuneSizes.empty() ? "" : "--tune-output and --tune-size need --tune";
  if (line.graph == "-")
    return "--tune needs the file of a graph, which it compiles many times";
  if (line.tuneFile.empty())
    line.tuneFile = llvm::sys::path::stem(line.graph).str() + ".schedules";
  for (llvm::StringRef text : raw.tuneSizes) {
    auto [name, number] = text.split('=');
    int64_t size = 0;
    if (name.empty() || number.getAsInteger(10, size) || size < 0)
      return "--tune-size: expected NAME=SIZE, got '" + text.str() + "'";
    line.tuneSizes[name.str()] = size;
  }
  return "";
}

static std::string resolve(CommandLine &line, const RawOptions &raw) {
  lathe::CompileOptions &options = line.options;
  options.emitStage = raw.emitStage;
  line.explains = options.explain = !raw.explain.empty();
  line.explainFile = raw.explain == "-" ? "" : raw.explain;
  line.reportsTime = !raw.timeReport.empty();
  line.timeFile = raw.timeReport == "-" ? "" : raw.timeReport;
  if (!line.timeFile.empty() && line.timeFile == line.explainFile)
    return "--explain and --time-report name one file, '" + line.timeFile + "'";
  options.colors = isatty(STDERR_FILENO) && !std::getenv("NO_COLOR");
  options.threads = raw.threads == "on";
  options.externWeights = raw.weights == "extern";
  options.sanitizer = kSanitizers.at(raw.sanitize);
  options.optLevel = raw.optLevel;
  for (const std::string &check : raw.checks)
    (check == "finite" ? options.checkFinite : options.checkBounds) = true;
  std::string error = resolveEmit(line, raw.emit);
  if (error.empty())
    error = resolveReport(line);
  if (error.empty())
    error = raw.shared.read(options);
  if (error.empty())
    error = lathe::readGradOptions(raw.gradients, options);
  if (error.empty())
    error = resolveTune(line, raw);
  for (auto &[name, sizes] : options.specialize)
    if (error.empty() && options.fixedDims.count(name))
      error = "--specialize: '" + name + "' is already fixed by --dim";
  for (const std::string &text : raw.constInputs) {
    size_t equals = text.find('=');
    if (!error.empty())
      break;
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      error = "--const-input: expected NAME=FILE.npy, got '" + text + "'";
    else if (!line.constInputs.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      error = "--const-input: '" + text.substr(0, equals) + "' occurs twice";
  }
  return error;
}

std::optional<CommandLine> parseCommandLine(int argc, char **argv, int *exitCode) {
  CLI::App app{"Compiles a Lathe graph to an object file and a C header.", "lathec"};
  app.footer(kFooter);
  app.set_version_flag("--version", "lathec " LATHE_VERSION);
  app.add_flag_callback(
         "--print-targets", [] { throw CLI::CallForVersion(lathe::listTargets(), 0); }, "List the values of --target")
      ->trigger_on_parse();
  CommandLine line;
  RawOptions raw;
  addOptions(app, line, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    *exitCode = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (std::string error = resolve(line, raw); !error.empty()) {
    std::cerr << "lathec: error: " << error << "\n";
    *exitCode = 2;
    return std::nullopt;
  }
  return line;
}
