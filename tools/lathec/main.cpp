// lathec: graph in, object and header out.
#include "lib/Compiler/CompileFile.h"
#include "lib/Support/Memory.h"
#include "tools/lathec/ConstInputs.h"
#include "tools/lathec/Options.h"
#include "tools/lathec/Output.h"
#include "tools/lathec/Reproducer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <cstdio>

using namespace lathe;

/// The output's name without its ending; the header is beside it.
static std::string stemOf(const std::string &file) {
  size_t slash = file.find_last_of('/'), dot = file.find_last_of('.');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? file : file.substr(0, dot);
}

static const char *endingOf(EmitKind kind) {
  switch (kind) {
  case EmitKind::Assembly:
    return ".s";
  case EmitKind::PTX:
    return ".ptx";
  case EmitKind::LLVM:
    return ".ll";
  case EmitKind::Bitcode:
    return ".bc";
  case EmitKind::MLIR:
    return ".out.mlir";
  case EmitKind::Shared:
    return ".so";
  case EmitKind::StaticLibrary:
    return ".a";
  default:
    return ".o";
  }
}

static bool hasHeader(EmitKind kind) {
  return kind == EmitKind::Object || kind == EmitKind::Shared || kind == EmitKind::StaticLibrary;
}

/// Beside the output, under its name; a library's `lib` is the linker's convention, not part of it.
static std::string headerOf(const std::string &output, EmitKind kind) {
  std::string stem = stemOf(output);
  size_t name = stem.find_last_of('/') + 1;
  if (kind != EmitKind::Object && stem.compare(name, 3, "lib") == 0 && stem.size() > name + 3)
    stem.erase(name, 3);
  return stem + ".h";
}

static int writeOutputs(const CommandLine &line, const CompileResult &result) {
  EmitKind kind = line.options.emit;
  if (kind == EmitKind::None)
    return 0;
  std::string output = line.output;
  if (output.empty()) {
    std::string base = line.graph == "-" ? "graph" : stemOf(line.graph.substr(line.graph.find_last_of('/') + 1));
    output = base + (kind == EmitKind::Header ? ".h" : endingOf(kind));
  }
  std::vector<OutputFile> files;
  if (kind == EmitKind::Header)
    files.push_back({output, &result.header});
  else
    files.push_back({output, &result.code});
  std::string header = headerOf(output, kind), weights = stemOf(header) + ".weights";
  if (!result.weights.empty() && isStream(output)) {
    std::fprintf(stderr, "lathec: error: --weights=extern writes two files; -o names them\n");
    return 2;
  }
  if (!result.weights.empty())
    files.push_back({weights, &result.weights});
  if (hasHeader(kind) && !isStream(output))
    files.push_back({header, &result.header});
  std::string error = writeWhole(files);
  if (error.empty())
    return 0;
  std::fprintf(stderr, "lathec: error: %s\n", error.c_str());
  return 2;
}

/// A crash of the compiler is a fault like any other; its stack is large, for graphs that nest deeply.
static CompileResult compileGuarded(const CommandLine &line, ConstInputs &constants) {
  constexpr unsigned kStack = 256 << 20;
  CompileResult result;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  if (!guard.RunSafelyOnThread([&] { result = compileFile(line.graph, line.options, &constants); }, kStack)) {
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
  if (std::string error = readConstInputs(line->constInputs, constants); !error.empty()) {
    std::fprintf(stderr, "lathec: error: --const-input: %s\n", error.c_str());
    return 2;
  }
  CompileResult result = compileGuarded(*line, constants);
  std::fputs(result.remarks.c_str(), stderr);
  std::fputs(result.diagnostics.c_str(), stderr);
  if (line->options.timeReport)
    std::fputs(result.timeReport.c_str(), stderr);
  if (result.status == CompileStatus::InternalError)
    std::fputs(writeReproducer(line->graph, {argv + 1, argv + argc}).c_str(), stderr);
  if (result.status != CompileStatus::Done)
    return static_cast<int>(result.status);
  return writeOutputs(*line, result);
}
