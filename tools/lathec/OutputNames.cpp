#include "tools/lathec/OutputNames.h"
#include "tools/lathec/Output.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using lathe::EmitKind;

namespace {
struct Ending {
  llvm::StringLiteral text;
  EmitKind kind;
};
} // namespace

static constexpr Ending kEndings[] = {{".o", EmitKind::Object},        {".obj", EmitKind::Object}, {".s", EmitKind::Assembly},
                                      {".ll", EmitKind::LLVM},         {".bc", EmitKind::Bitcode}, {".so", EmitKind::Shared},
                                      {".a", EmitKind::StaticLibrary}, {".h", EmitKind::Header},   {".hpp", EmitKind::Header},
                                      {".mlir", EmitKind::MLIR},       {".ptx", EmitKind::PTX}};

std::optional<EmitKind> kindOfEnding(const std::string &file) {
  llvm::StringRef ending = llvm::sys::path::extension(file);
  for (const Ending &known : kEndings)
    if (ending == known.text)
      return known.kind;
  return std::nullopt;
}

bool isInputEnding(const std::string &file) {
  llvm::StringRef ending = llvm::sys::path::extension(file);
  return ending == ".onnx" || ending == ".mlirbc" || ending == ".npy" || ending == ".safetensors";
}

/// Returns the default file extension. A graph's text gets one that keeps it apart from the graph itself.
static llvm::StringRef endingOf(EmitKind kind) {
  if (kind == EmitKind::MLIR)
    return ".out.mlir";
  for (const Ending &known : kEndings)
    if (kind == known.kind)
      return known.text;
  return ".o";
}

static std::string stemOf(const std::string &file) {
  size_t slash = file.find_last_of('/'), dot = file.find_last_of('.');
  return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? file : file.substr(0, dot);
}

static bool hasHeader(EmitKind kind) {
  return kind == EmitKind::Object || kind == EmitKind::Shared || kind == EmitKind::StaticLibrary;
}

/// Returns the output's name without its extension, and without `lib` for a library, which is the linker's convention.
static std::string stemBeside(const std::string &output, EmitKind kind) {
  std::string stem = stemOf(output);
  size_t name = stem.find_last_of('/') + 1;
  if (kind != EmitKind::Object && stem.compare(name, 3, "lib") == 0 && stem.size() > name + 3)
    stem.erase(name, 3);
  return stem;
}

OutputNames nameOutputs(const std::string &graph, const std::string &output, EmitKind kind) {
  OutputNames names;
  names.code = output;
  if (output.empty()) {
    std::string base = graph == "-" ? "graph" : stemOf(graph.substr(graph.find_last_of('/') + 1));
    names.code = base + endingOf(kind).str();
  }
  std::string stem = stemBeside(names.code, kind);
  names.weights = stem + ".weights";
  if (hasHeader(kind) && !isStream(names.code))
    names.header = stem + ".h";
  return names;
}

std::string OutputNames::overwrites(const std::set<std::string> &inputs) const {
  for (const std::string &output : {code, header, weights, depfile})
    for (const std::string &input : inputs)
      if (!output.empty() && !isStream(output) && llvm::sys::fs::equivalent(output, input))
        return "cannot write '" + output + "': it is " + (input == output ? "" : "'" + input + "', ") +
               "a file that this compilation reads; use another name with -o";
  return "";
}
