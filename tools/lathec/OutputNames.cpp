#include "tools/lathec/OutputNames.h"
#include "tools/lathec/Output.h"
#include "llvm/ADT/STLExtras.h"
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

/// The endings of outputs. The first one of a kind is its default.
static constexpr Ending kEndings[] = {{".o", EmitKind::Object},        {".obj", EmitKind::Object}, {".so", EmitKind::Shared},
                                      {".a", EmitKind::StaticLibrary}, {".s", EmitKind::Assembly}, {".ll", EmitKind::LLVM},
                                      {".bc", EmitKind::Bitcode},      {".h", EmitKind::Header},   {".hpp", EmitKind::Header},
                                      {".mlir", EmitKind::MLIR},       {".ptx", EmitKind::PTX}};

/// Endings of files of other kinds. An output of such a name is a mistake that would replace someone's work.
static constexpr llvm::StringLiteral kForeignEndings[] = {
    // graphs, tensors and other data
    ".onnx", ".mlirbc", ".npy", ".npz", ".safetensors", ".weights", ".pb", ".pt", ".pth", ".ckpt", ".tflite", ".h5", ".hdf5",
    ".pkl", ".proto", ".textproto", ".json", ".jsonl", ".csv", ".tsv", ".xml", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".sql",
    ".db", ".sqlite", ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".wav", ".mp3", ".mp4", ".zip", ".tar", ".gz",
    ".bz2", ".xz", ".zst", ".7z", ".whl",
    // source code
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm", ".cu", ".cuh", ".cl", ".hh", ".hxx", ".inc", ".inl", ".td", ".py", ".pyi",
    ".ipynb", ".rs", ".go", ".java", ".kt", ".swift", ".js", ".mjs", ".ts", ".jl", ".f", ".f90", ".f95", ".rb", ".lua", ".pl",
    ".r", ".zig", ".cs", ".hs", ".ml", ".scala", ".php", ".sh", ".bash", ".bat", ".ps1", ".cmake", ".mk", ".ninja", ".bzl",
    ".patch", ".diff", ".asm",
    // documents
    ".txt", ".md", ".rst", ".adoc", ".tex", ".html", ".htm", ".css", ".pdf", ".ps", ".doc", ".docx", ".odt", ".log",
    // outputs of other tools
    ".d", ".exe", ".dll", ".lib", ".dylib", ".cubin", ".fatbin", ".wasm", ".jar", ".class", ".pyc"};

/// Returns a file's ending in lower case: file systems and people spell ".C" and ".MD" too.
static std::string endingOf(const std::string &file) { return llvm::sys::path::extension(file).lower(); }

std::optional<EmitKind> kindOfEnding(const std::string &file) {
  std::string ending = endingOf(file);
  for (const Ending &known : kEndings)
    if (ending == known.text)
      return known.kind;
  return std::nullopt;
}

bool isCppHeader(const std::string &file) { return endingOf(file) == ".hpp"; }

bool isForeignEnding(const std::string &file) { return llvm::is_contained(kForeignEndings, endingOf(file)); }

std::string outputEndings() {
  std::string all;
  for (const Ending &known : kEndings)
    all += (all.empty() ? "" : &known == std::end(kEndings) - 1 ? " or " : ", ") + known.text.str();
  return all;
}

/// Returns the default file extension. That of a graph's text differs from the extension of graphs, so that no output replaces
/// its input.
static llvm::StringRef defaultEnding(EmitKind kind) {
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

static bool isCode(EmitKind kind) {
  return kind == EmitKind::Object || kind == EmitKind::Shared || kind == EmitKind::StaticLibrary;
}

bool hasHeader(EmitKind kind) { return isCode(kind) || kind == EmitKind::Header; }

/// Returns the output's name without its extension, and without `lib` for a library, which is the linker's convention.
static std::string stemBeside(const std::string &output, EmitKind kind) {
  std::string stem = stemOf(output);
  size_t name = stem.find_last_of('/') + 1;
  if (kind != EmitKind::Object && stem.compare(name, 3, "lib") == 0 && stem.size() > name + 3)
    stem.erase(name, 3);
  return stem;
}

OutputNames nameOutputs(const std::string &graph, const std::string &output, EmitKind kind, bool wantsCppHeader) {
  OutputNames names;
  names.code = output;
  if (output.empty()) {
    std::string base = graph == "-" ? "graph" : stemOf(graph.substr(graph.find_last_of('/') + 1));
    names.code = base + defaultEnding(kind).str();
  }
  std::string stem = stemBeside(names.code, kind);
  names.weights = stem + ".weights";
  if (isCode(kind) && !isStream(names.code))
    names.header = stem + ".h";
  if (wantsCppHeader)
    names.cppHeader = isCppHeader(names.code) ? names.code : (isCode(kind) ? stem : stemOf(names.code)) + ".hpp";
  if (isCppHeader(names.code))
    names.code = stemOf(names.code) + ".h";
  return names;
}

std::string OutputNames::overwrites(const std::set<std::string> &inputs) const {
  for (const std::string &output : {code, header, cppHeader, weights, depfile, remarks, times, report, schedules})
    for (const std::string &input : inputs)
      if (!output.empty() && !isStream(output) && llvm::sys::fs::equivalent(output, input))
        return "cannot write '" + output + "': it is " + (input == output ? "" : "'" + input + "', ") +
               "a file that this compilation reads; use another name" +
               (output == remarks || output == times || output == report || output == schedules ? "" : " with -o");
  return "";
}
