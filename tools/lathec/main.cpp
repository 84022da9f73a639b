// lathec: graph in, object and header out.
#include "lib/Compiler/CompileFile.h"
#include "lib/Support/Memory.h"
#include "lib/Support/Terminal.h"
#include "tools/lathec/ConstInputs.h"
#include "tools/lathec/Insight.h"
#include "tools/lathec/Options.h"
#include "tools/lathec/Output.h"
#include "tools/lathec/OutputNames.h"
#include "tools/lathec/Reproducer.h"
#include "tools/lathec/Tune.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdio>

using namespace lathe;

static int wrongUsage(const std::string &error) {
  std::fprintf(stderr, "lathec: error: %s\n", error.c_str());
  return static_cast<int>(CompileStatus::WrongUsage);
}

/// Returns an absolute path as a word of a makefile: rules are read in other folders.
static std::string wordOf(const std::string &path) {
  llvm::SmallString<256> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  std::string word;
  for (char c : absolute) {
    if (c == ' ' || c == '#' || c == '\\')
      word += '\\';
    else if (c == '$')
      word += '$';
    word += c;
  }
  return word;
}

/// Returns "OUTPUT ...: INPUT ..." for make and ninja.
static std::string dependencyRule(const std::vector<OutputFile> &outputs, const std::set<std::string> &inputs) {
  std::string rule;
  for (const OutputFile &output : outputs)
    if (!isStream(output.path))
      rule += (rule.empty() ? "" : " ") + wordOf(output.path);
  rule += ":";
  for (const std::string &input : inputs)
    rule += " \\\n  " + wordOf(input);
  return rule + "\n";
}

static int writeOutputs(const CommandLine &line, const OutputNames &names, const CompileResult &result, PartsFile &code,
                        const std::set<std::string> &inputs) {
  EmitKind kind = line.options.emit;
  std::vector<OutputFile> files = {
      {names.code, kind == EmitKind::Header ? &result.header : &result.code, code.isBegun() ? &code : nullptr}};
  if (!result.weights.empty() && isStream(names.code))
    return wrongUsage("--weights=extern writes two files; name them with -o");
  if (!result.weights.empty())
    files.push_back({names.weights, &result.weights});
  if (!names.header.empty())
    files.push_back({names.header, &result.header});
  if (!names.cppHeader.empty())
    files.push_back({names.cppHeader, &result.cppHeader});
  std::string rule = line.depfile.empty() ? "" : dependencyRule(files, inputs);
  if (!line.depfile.empty())
    files.push_back({line.depfile, &rule});
  std::string error = writeWhole(files);
  return error.empty() ? 0 : wrongUsage(error);
}

/// Returns the graph and the files of --const-input. The other files that the graph names are known once it has been read.
static std::set<std::string> filesGiven(const CommandLine &line) {
  std::set<std::string> files;
  if (line.graph != "-")
    files.insert(line.graph);
  for (auto &[name, file] : line.constInputs)
    files.insert(file);
  if (!line.profileFile.empty())
    files.insert(line.profileFile);
  return files;
}

/// Compiles on a large stack, for deeply nested graphs. A crash of the compiler becomes an internal error.
static CompileResult compileGuarded(const CommandLine &line, ConstInputs &constants) {
  constexpr unsigned kStack = 256 << 20;
  CompileResult result;
  lathe::Progress progress("lathec: " + llvm::sys::path::filename(line.graph).str());
  CompileOptions options = line.options;
  options.progress = [&](const std::string &part) { progress.set(part); };
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  if (!guard.RunSafelyOnThread([&] { result = compileFile(line.graph, options, &constants); }, kStack)) {
    result.status = CompileStatus::InternalError;
    result.diagnostics += "lathec: internal error: the compiler crashed\n";
  }
  return result;
}

int main(int argc, char **argv) {
  lathe::keepLargeBlocksApart();
  int exitCode = 0;
  std::optional<CommandLine> line = parseCommandLine(argc, argv, &exitCode);
  if (!line)
    return exitCode;
  ConstInputs constants;
  if (std::string error = readConstInputs(line->constInputs, constants); !error.empty())
    return wrongUsage("--const-input: " + error);
  line->options.constInputs = constants.names;
  OutputNames names;
  if (line->options.emit != EmitKind::None)
    names = nameOutputs(line->graph, line->output, line->options.emit, line->cppHeader);
  if (!names.cppHeader.empty())
    line->options.headerFile = llvm::sys::path::filename(names.header.empty() ? names.code : names.header).str();
  names.depfile = line->depfile;
  names.remarks = line->explainFile;
  names.times = line->timeFile;
  names.report = line->reportFile;
  names.schedules = line->tuneFile;
  if (line->options.externWeights)
    line->options.weightsFile = llvm::sys::path::filename(names.weights).str();
  else
    names.weights.clear();
  if (std::string error = names.overwrites(filesGiven(*line)); !error.empty()) // before the time is spent
    return wrongUsage(error);
  if (line->tuneSeconds > 0)
    if (CompileStatus status = tuneKernels(*line, constants); status != CompileStatus::Done)
      return static_cast<int>(status);
  PartsFile code(names.code);
  if (!isStream(names.code))
    line->options.write = [&](const char *bytes, size_t size) { return code.write(bytes, size); };
  CompileResult result = compileGuarded(*line, constants);
  std::set<std::string> inputs = filesGiven(*line);
  inputs.insert(result.filesRead.begin(), result.filesRead.end());
  const std::string clash = names.overwrites(inputs);
  const std::string insightError = reportInsight(*line, result, /*writesFiles=*/clash.empty());
  if (result.status == CompileStatus::InternalError)
    std::fputs(writeReproducer(line->graph, {argv + 1, argv + argc}).c_str(), stderr);
  if (!code.error.empty())
    return wrongUsage(code.error);
  if (result.status != CompileStatus::Done)
    return static_cast<int>(result.status);
  if (!clash.empty() || !insightError.empty())
    return wrongUsage(clash.empty() ? insightError : clash);
  if (line->options.emit == EmitKind::None)
    return 0;
  return writeOutputs(*line, names, result, code, inputs);
}
