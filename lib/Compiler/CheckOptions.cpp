#include "lib/Compiler/CheckOptions.h"
#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Emit/Ptxas.h"
#include "lib/Support/Text.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace lathe;

/// Returns why the graph's file cannot be read, or an empty string.
static std::string unreadable(const std::string &path) {
  if (path == "-")
    return "";
  if (llvm::sys::fs::is_directory(path))
    return "it is a folder";
  int file;
  std::error_code error = llvm::sys::fs::openFileForRead(path, file);
  if (!error)
    llvm::sys::Process::SafelyCloseFileDescriptor(file);
  return error ? error.message() : "";
}

/// Resolves the targets. Returns why they cannot be used, or an empty string.
static std::string checkTargets(const CompileOptions &options, Targets &targets) {
  std::string error;
  targets = parseTargets(options.target, error);
  if (targets.cpus.empty())
    return error;
  for (gpu::Target &target : targets.gpus)
    target.isFast = options.fastMath;
  for (VectorTarget &target : targets.cpus)
    target.isFast = options.fastMath;
  if (!targets.gpus.empty() && !options.threads)
    return "target '" + options.target + "': the context of a call selects the GPU, and --threads=off removes the context";
  if (options.ptxas != "auto" && options.ptxas != "none" && !llvm::sys::fs::can_execute(options.ptxas))
    return "there is no program '" + options.ptxas + "'; use --ptxas=none to compile without it";
  if (targets.gpus.empty() && options.emit == EmitKind::PTX)
    return "PTX cannot be emitted for target '" + options.target + "'; expected a GPU target, such as cuda:sm_90";
  if (!targets.gpus.empty() && options.emit != EmitKind::PTX)
    targets.ptxas = findPtxas(options.ptxas);
  for (const VectorTarget &target : targets.cpus)
    if (std::string problem = checkTarget(target); !problem.empty())
      return "target '" + options.target + "': " + problem;
  return "";
}

std::string lathe::checkOptions(const std::string &path, const CompileOptions &options, Targets &targets) {
  if (std::string problem = checkTargets(options, targets); !problem.empty())
    return problem;
  if (std::string spelled = toCIdentifier(options.prefix, "_"); !options.prefix.empty() && spelled != options.prefix)
    return "the name '" + options.prefix + "' is not a C identifier; use '" + spelled + "'";
  if (std::string problem = unreadable(path); !problem.empty())
    return "cannot read '" + path + "': " + problem;
  return "";
}
