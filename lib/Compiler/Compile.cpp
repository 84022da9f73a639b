#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Compiler/CheckOptions.h"
#include "lib/Compiler/Code.h"
#include "lib/Compiler/CompileFile.h"
#include "lib/Compiler/Describe/Description.h"
#include "lib/Compiler/Entries.h"
#include "lib/Compiler/Gradients.h"
#include "lib/Compiler/MemoryBudget.h"
#include "lib/Compiler/RankTimes.h"
#include "lib/Compiler/Stages.h"
#include "lib/Import/Import.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <fmt/format.h>

using namespace mlir;
using namespace lathe;

/// Writes the graph after a stage into the folder of --save-stages. Returns why it cannot be written, or an empty string.
static std::string saveStage(ModuleOp module, StringRef stage, const std::string &folder,
                             const std::set<std::string> &filesRead) {
  SmallString<128> file(folder);
  std::error_code error = llvm::sys::fs::create_directories(file);
  llvm::sys::path::append(file, stage + ".mlir");
  if (llvm::any_of(filesRead, [&](const std::string &read) { return llvm::sys::fs::equivalent(read, file); }))
    return fmt::format("cannot write '{}': this compilation reads that file", file.str().str());
  if (!error) {
    llvm::raw_fd_ostream out(file, error);
    if (!error) {
      module->print(out);
      out.close();
      error = out.error();
      out.clear_error(); // the error is returned; left in place it would end the process
    }
  }
  return error ? fmt::format("cannot write '{}': {}", file.str().str(), error.message()) : "";
}

namespace {
/// One compilation: checks the options, reads the graph, and runs the stages and code generation.
class Compilation {
public:
  Compilation(const std::string &path, const CompileOptions &options, ConstInputs *constants)
      : path(path), options(options), constants(constants), session(path, options.colors) {}

  CompileResult run() {
    result.status = compile();
    result.diagnostics = session.takeDiagnostics();
    result.timeReport = times.report();
    result.times = times.seconds;
    return std::move(result);
  }

private:
  CompileStatus compile() {
    if (std::string problem = checkOptions(path, options, targets); !problem.empty())
      return session.usage(problem);
    if (options.explain)
      session.explainTo(result.remarks);
    if (options.progress)
      options.progress("parse");
    if (!parse())
      return session.refusal();
    if (std::string error = options.clusterFile.empty() ? "" : readCluster(options.clusterFile, cluster); !error.empty())
      return session.usage(error);
    if (options.gradcheck && !findGradcheckSubject(*module, *options.gradcheck))
      return session.usage("there is no public function '" + *options.gradcheck + "' to check the derivatives of");
    if (failed(addGradients(*module, options)))
      return session.failureStatus();
    if (failed(chooseEntries(*module, options)))
      return CompileStatus::Refused;
    if (!targets.hasCpuKernels)
      (*module)->setAttr(kOnDeviceAttr, UnitAttr::get(&session.context));
    if (options.memoryBudget && !targets.gpus.empty())
      reserveDeviceBytes(*module, path, options, targets, session);
    const bool isGraph = OutputKind::of(options).hasGraph;
    if (failed(runStages(*module, isGraph ? StringRef(options.emitStage) : lastGraphStage(), options, targets,
                         [&](const Stage &stage, double seconds) { return afterStage(stage, seconds); })))
      return saveError.empty() ? session.failureStatus() : session.usage(saveError);
    if (!isGraph && failed(checkBudget(*module, options)))
      return CompileStatus::Refused;
    if (!isGraph && options.describe)
      describe();
    if (!isGraph)
      return emitCode(*module, path, options, targets, session, result, times);
    llvm::raw_string_ostream(result.code) << *module;
    return CompileStatus::Done;
  }

  bool parse() {
    auto start = std::chrono::steady_clock::now();
    module = importFile(path, session.context, session.sources,
                        {/*nameValues=*/options.describe, options.fixedDims, options.dimFormulas, options.dimBroadcasts,
                         options.maxSteps, constants, options.stateInitializers, options.stateArguments, options.externWeights,
                         &result.filesRead});
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    times.seconds.emplace_back("parse", taken.count());
    return bool(module);
  }

  void describe() {
    auto description = std::make_shared<CompileDescription>(describeCompilation(*module));
    description->graph = path == "-" ? "stdin.mlir" : llvm::sys::path::filename(path).str();
    description->text = session.graphText().str();
    description->target = options.target;
    result.description = std::move(description);
  }

  LogicalResult afterStage(const Stage &stage, double seconds) {
    times.seconds.emplace_back(stage.name, seconds);
    if (StringRef(stage.name) == "plan" && !options.clusterFile.empty())
      explainRankTimes(*module, cluster);
    if (!options.saveStages.empty())
      saveError = saveStage(*module, stage.name, options.saveStages, result.filesRead);
    return success(saveError.empty());
  }

  const std::string &path;
  CompileOptions options;
  ConstInputs *constants; // may be null
  Session session;
  Targets targets;
  OwningOpRef<ModuleOp> module;
  CompileResult result;
  CompileTimes times;
  ClusterFile cluster;
  std::string saveError; // why a stage could not be saved
};
} // namespace

CompileResult lathe::compileFile(const std::string &path, const CompileOptions &options) {
  return compileFile(path, options, nullptr);
}

CompileResult lathe::compileFile(const std::string &path, const CompileOptions &options, ConstInputs *constants) {
  return Compilation(path, options, constants).run();
}
