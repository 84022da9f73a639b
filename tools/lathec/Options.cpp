#include "tools/lathec/Options.h"
#include "codegen/Emit/Targets.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/SizeOptions.h"
#include "lib/Compiler/StateOption.h"
#include "tools/lathec/OutputNames.h"
#include <CLI/CLI.hpp>
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
  lathec digits.mlir --specialize=N=1,32         versions for these sizes behind one entry
  lathec digits.mlir --emit=mlir --emit-stage=fusion -o -
Exit status: 0 done, 1 the graph is refused, 2 wrong usage, 3 a bug in Lathe.)";

namespace {
struct RawOptions {
  std::string emit, emitStage = "plan", threads = "on", sanitize, weights = "embed";
  std::vector<std::string> dims, maxSteps, specialize, shards, checks, constInputs, states;
  unsigned optLevel = 2;
};
} // namespace

static void addOptions(CLI::App &app, CommandLine &line, RawOptions &raw) {
  lathe::CompileOptions &options = line.options;
  app.add_option("GRAPH", line.graph, "The graph: .mlir, .mlirbc, .onnx, or - for text on standard input")->required();
  app.add_option("-o", line.output, "Output file; the header goes beside it. - writes to standard output")->group("Output");
  app.add_option(
         "--emit", raw.emit,
         "What to write: obj, asm, llvm, bitcode, shared, static-lib, header, mlir, ptx, none (default: what the ending of "
         "-o says, .o, .s, .ll, .bc, .so, .a, .h, .mlir or .ptx, else obj)")
      ->check(CLI::IsMember(kEmitKinds))
      ->group("Output");
  app.add_option("--emit-stage", raw.emitStage, "With --emit=mlir: the stage after which the graph is written")
      ->check(CLI::IsMember(lathe::stageNames()))
      ->group("Output");
  app.add_option(
         "--depfile", line.depfile,
         "A makefile's rule of what is written and each file that was read: the graph, models that it calls, their external "
         "data, constant inputs")
      ->group("Output");
  app.add_option("--name", options.prefix, "Prefix of the C symbols (default: the graph's stem)")->group("Output");
  app.add_option("--entry", options.entries, "Functions to export (default: every public one)")
      ->delimiter(',')
      ->allow_extra_args(false) // here and below: the next word is no further value but the graph
      ->group("Output");
  app.add_option("--save-stages", options.saveStages, "Folder for the graph after each stage")->group("Output");
  app.add_option("--target", options.target,
                 "host, x86-64-v2, x86-64-v3, x86-64-v4 (several, with commas: the best is picked at run time) or "
                 "TRIPLE[:CPU[:FEATURES]]; cuda:sm_80 and the like beside it: GPUs, for calls whose context has one")
      ->group("Code");
  app.add_option_function<std::string>(
         "--math", [&](const std::string &kind) { options.fastMath = kind == "fast"; },
         "strict (default), or fast: f32 on a GPU by factors rounded to tf32, and with quotients, exp, logistic, tanh, erf and "
         "erfc a few units in the last place off")
      ->check(CLI::IsMember({"strict", "fast"}))
      ->group("Code");
  app.add_option("--ptxas", options.ptxas,
                 "NVIDIA's assembler, for code that a GPU's driver need not compile: its path, none, or auto, which looks into "
                 "$LATHE_PTXAS, $CUDA_HOME and $PATH (default auto)")
      ->group("Code");
  app.add_option("--dim", raw.dims, "Fix a named dimension, or write it by another: N=4, H=32*h")
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option("--max-steps", raw.maxSteps, lathe::kMaxStepsHelp)->allow_extra_args(false)->group("Code");
  app.add_option("--specialize", raw.specialize, "Versions for sizes of a named dimension: N=1,8,32")
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option(
         "--shard", raw.shards,
         "Parts of a training step, beside it, for lathe_shards_create, which divides its batch among several contexts: "
         "FUNCTION:DIM, such as train_step:N; may be repeated")
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option("--const-input", raw.constInputs, "Make an input a constant: NAME=F.npy; may be repeated")
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option("--state", raw.states, lathe::kStateHelp)->allow_extra_args(false)->group("Code");
  app.add_option("--weights", raw.weights,
                 "embed: constants in the object; extern: the larger ones in FILE.weights, with a loader in the header")
      ->check(CLI::IsMember({"embed", "extern"}))
      ->group("Code");
  app.add_option("--threads", raw.threads, "off: the object makes no call of its caller's")
      ->check(CLI::IsMember({"on", "off"}))
      ->group("Code");
  app.add_option("--sanitize", raw.sanitize, "address or thread: instrument the code, for programs linked with -fsanitize=")
      ->check(CLI::IsMember({"address", "thread"}))
      ->group("Code");
  app.add_option("--check", raw.checks,
                 "finite, bounds: the object reports the first op that makes a NaN or an infinity, or reads or writes outside "
                 "of a tensor")
      ->delimiter(',')
      ->check(CLI::IsMember({"finite", "bounds"}))
      ->allow_extra_args(false)
      ->group("Code");
  app.add_option("-O", raw.optLevel,
                 "0: one kernel per op, quick code; 1: fused, quick code; 2, 3: fused, fast code (default 2)")
      ->check(CLI::Range(0, 3))
      ->group("Code");
  app.add_option("--schedule", options.scheduleFile,
                 "A file of schedules for kernels, in the place of those that are chosen: a line for each, NAME "
                 "#lathe.schedule<...>, as --explain and --emit-stage=schedule show them")
      ->check(CLI::ExistingFile)
      ->group("Code");
  app.add_flag("--explain", options.explain, "What was specialised, fused, planned and vectorised, and why not, line by line");
  app.add_flag("--time-report", options.timeReport, "Where the time of the compilation went")->group("Insight");
}

static std::string nameOfKind(EmitKind kind) {
  for (auto &[name, known] : kEmitKinds)
    if (known == kind)
      return name;
  return "";
}

/// What is written, by --emit and the ending of -o, which must agree.
static std::string resolveEmit(CommandLine &line, const std::string &emit) {
  std::optional<EmitKind> ofFile = kindOfEnding(line.output);
  line.options.emit = emit.empty() ? ofFile.value_or(EmitKind::Object) : kEmitKinds.at(emit);
  if (isInputEnding(line.output))
    return "-o " + line.output + ": lathec reads such files and does not write them; name an object, such as net.o";
  if (ofFile && line.options.emit != EmitKind::None && *ofFile != line.options.emit)
    return "--emit=" + emit + " does not fit -o " + line.output + ", whose ending stands for --emit=" + nameOfKind(*ofFile) +
           "; leave out one of them";
  return "";
}

static std::string resolve(CommandLine &line, const RawOptions &raw) {
  lathe::CompileOptions &options = line.options;
  options.emitStage = raw.emitStage;
  options.colors = isatty(STDERR_FILENO) && !std::getenv("NO_COLOR");
  options.threads = raw.threads == "on";
  options.externWeights = raw.weights == "extern";
  options.sanitizer = kSanitizers.at(raw.sanitize);
  options.optLevel = raw.optLevel;
  for (const std::string &check : raw.checks)
    (check == "finite" ? options.checkFinite : options.checkBounds) = true;
  std::string error = resolveEmit(line, raw.emit);
  if (error.empty())
    error = lathe::readSizeOptions(raw.dims, raw.specialize, options);
  if (error.empty())
    error = lathe::readStepOptions(raw.maxSteps, options);
  if (error.empty())
    error = lathe::readShardOptions(raw.shards, options);
  for (auto &[name, sizes] : options.specialize)
    if (error.empty() && options.fixedDims.count(name))
      error = "--specialize: '" + name + "' has one size, by --dim";
  for (const std::string &text : raw.constInputs) {
    size_t equals = text.find('=');
    if (!error.empty())
      break;
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      error = "--const-input: expected NAME=FILE.npy, got '" + text + "'";
    else if (!line.constInputs.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      error = "--const-input: '" + text.substr(0, equals) + "' is given twice";
  }
  return error.empty() ? lathe::readStateOption(raw.states, options) : error;
}

std::optional<CommandLine> parseCommandLine(int argc, char **argv, int *exitCode) {
  CLI::App app{"Lathe: compiles a graph to an object file and a C header."};
  app.footer(kFooter);
  app.set_version_flag("--version", "lathec " LATHE_VERSION);
  app.add_flag_callback(
         "--print-targets", [] { throw CLI::CallForVersion(lathe::listTargets(), 0); }, "What --target takes")
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
