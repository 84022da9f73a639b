#include "codegen/Emit/HeaderWriter.h"
#include "codegen/Emit/ModuleEmitter.h"
#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Emit/Ptxas.h"
#include "codegen/Emit/Sanitize.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/CompileFile.h"
#include "lib/Compiler/Link.h"
#include "lib/Compiler/Pipelines.h"
#include "lib/Compiler/Session.h"
#include "lib/Import/ErrorList.h"
#include "lib/Import/Import.h"
#include "lib/Support/Memory.h"
#include "lib/Support/StringStream.h"
#include "lib/Support/Text.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <fmt/format.h>

using namespace mlir;
using namespace lathe;

namespace {

/// One compilation: the graph goes through the stages, then to code.
class Compilation {
public:
  Compilation(const std::string &path, const CompileOptions &options, ConstInputs *constants)
      : path(path), options(options), constants(constants), session(path, options.colors) {}

  CompileResult run() {
    result.status = compile();
    result.diagnostics = session.takeDiagnostics();
    result.timeReport = report();
    return std::move(result);
  }

private:
  template <typename Function>
  auto timed(StringRef name, Function function) {
    auto start = std::chrono::steady_clock::now();
    auto value = function();
    times.emplace_back(name.str(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return value;
  }

  CompileStatus compile() {
    std::string error;
    targets = parseTargets(options.target, error);
    if (targets.cpus.empty())
      return session.usage(error);
    for (gpu::Target &target : targets.gpus)
      target.isFast = options.fastMath;
    if (!targets.gpus.empty() && !options.threads)
      return session.usage("target '" + options.target +
                           "': the context of a call selects the GPU, and --threads=off removes the context");
    if (options.ptxas != "auto" && options.ptxas != "none" && !llvm::sys::fs::can_execute(options.ptxas))
      return session.usage("there is no program '" + options.ptxas + "'; use --ptxas=none to compile without it");
    if (targets.gpus.empty() && options.emit == EmitKind::PTX)
      return session.usage("PTX cannot be emitted for target '" + options.target +
                           "'; expected a GPU target, such as cuda:sm_90");
    for (const VectorTarget &target : targets.cpus)
      if (std::string problem = checkTarget(target); !problem.empty())
        return session.usage("target '" + options.target + "': " + problem);
    if (std::string spelled = toCIdentifier(options.prefix, "_"); !options.prefix.empty() && spelled != options.prefix)
      return session.usage("the name '" + options.prefix + "' is not a C identifier; use '" + spelled + "'");
    if (std::string problem = unreadable(); !problem.empty())
      return session.usage("cannot read '" + path + "': " + problem);
    if (options.explain)
      session.explainTo(result.remarks);
    module = timed("parse", [&] {
      return importFile(path, session.context, session.sources,
                        {/*nameValues=*/false, options.fixedDims, options.dimFormulas, options.maxSteps, constants,
                         options.stateInitializers, options.externWeights, &result.filesRead});
    });
    if (!module)
      return session.refusal();
    if (options.gradcheck && !hasGradcheckSubject(*module, *options.gradcheck))
      return session.usage("there is no public function '" + *options.gradcheck + "' to check the derivatives of");
    if (failed(chooseEntries()))
      return CompileStatus::Refused;
    if (!targets.hasCpuKernels)
      (*module)->setAttr(kOnDeviceAttr, UnitAttr::get(&session.context));
    for (const Stage &stage : graphStages()) {
      if (failed(runStage(stage)))
        return session.failureStatus();
      if (!saveError.empty())
        return session.usage(saveError);
      if (options.emit == EmitKind::MLIR && options.emitStage == stage.name)
        return printGraph();
    }
    return emitCode();
  }

  /// A name that is none of them leaves all, so that whoever runs them can say which there are.
  void chooseEntryToRun(ArrayRef<std::string> all, std::string run) {
    if (run.empty() && !all.empty())
      run = all.front();
    if (!llvm::is_contained(all, run))
      return;
    options.entries = {run};
    if (run != "init" && llvm::is_contained(all, "init"))
      options.entries.push_back("init");
  }

  /// The parts of a step are exported where it is.
  LogicalResult chooseShards(ArrayRef<std::string> all) {
    for (auto &[function, dimension] : options.shards) {
      if (!llvm::is_contained(all, function))
        return module->emitError("there is no public function @")
               << function << " to shard; there are " << (all.empty() ? "none" : "@" + llvm::join(all, ", @"));
      if (options.entries.empty())
        continue;
      if (!llvm::is_contained(options.entries, function))
        return module->emitError("@") << function << " is named by --shard, but --entry does not export it";
      options.entries.push_back(function + "_gradients");
      options.entries.push_back(function + "_update");
    }
    return success();
  }

  /// With chosen entries, or one that is to run, the other functions are only there to be called; import drops those that are
  /// not.
  LogicalResult chooseEntries() {
    SmallVector<std::string> all;
    for (auto function : module->getOps<func::FuncOp>())
      if (!function.isPrivate())
        all.push_back(function.getSymName().str());
    if (!llvm::is_contained(all, "init") && !module->getOps<VariableOp>().empty())
      all.push_back("init"); // made of the initialisers
    if (options.entryToRun)
      chooseEntryToRun(all, *options.entryToRun);
    for (const std::string &entry : options.entries)
      if (!llvm::is_contained(all, entry))
        return module->emitError("there is no public function @")
               << entry << " to export; there are " << (all.empty() ? "none" : "@" + llvm::join(all, ", @"));
    if (failed(chooseShards(all)))
      return failure();
    for (auto function : module->getOps<func::FuncOp>())
      if (!options.entries.empty() && !llvm::is_contained(options.entries, function.getSymName().str()))
        function.setPrivate();
    return success();
  }

  /// Why the graph's file cannot be read, or nothing.
  std::string unreadable() {
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

  LogicalResult runStage(const Stage &stage) {
    ErrorList errors(session.context);
    PassManager passes(&session.context);
    stage.build(passes, options, targets);
    LogicalResult done = timed(stage.name, [&] { return passes.run(*module); });
    if (succeeded(done) && !options.saveStages.empty())
      saveStage(stage.name);
    return done;
  }

  void saveStage(StringRef name) {
    SmallString<128> file(options.saveStages);
    std::error_code error = llvm::sys::fs::create_directories(file);
    llvm::sys::path::append(file, name + ".mlir");
    auto isThisFile = [&](const std::string &read) { return llvm::sys::fs::equivalent(read, file); };
    if (llvm::any_of(result.filesRead, isThisFile)) {
      saveError = fmt::format("cannot write '{}': this compilation reads that file", file.str().str());
      return;
    }
    if (!error) {
      llvm::raw_fd_ostream out(file, error);
      if (!error) {
        module->print(out);
        out.close();
        error = out.error();
        out.clear_error(); // told here; else it would end the process
      }
    }
    if (error)
      saveError = fmt::format("cannot write '{}': {}", file.str().str(), error.message());
  }

  CompileStatus printGraph() {
    llvm::raw_string_ostream(result.code) << *module;
    return CompileStatus::Done;
  }

  std::string prefix() {
    if (!options.prefix.empty())
      return options.prefix;
    return toCIdentifier(path == "-" ? "graph" : llvm::sys::path::stem(path).str(), "_");
  }

  CompileStatus emitCode() {
    std::string source = path == "-" ? "stdin.mlir" : llvm::sys::path::filename(path).str();
    std::optional<WeightsFile> weights;
    if (options.externWeights)
      weights.emplace(*module);
    const WeightsFile *file = weights ? &*weights : nullptr;
    FailureOr<ModuleSignature> signature =
        describeModule(*module, prefix(), source, options.entries, options.threads, targets.cpus, file);
    if (failed(signature) || failed(checkKernels(*module, targets)))
      return CompileStatus::Refused;
    signature->parallelWork = options.parallelWork;
    signature->weightsFile = options.weightsFile.empty() ? prefix() + ".weights" : options.weightsFile;
    if (!targets.hasCpuKernels)
      signature->targets.clear();
    for (const gpu::Target &target : targets.gpus)
      signature->targets += (signature->targets.empty() ? "cuda:" : ",cuda:") + target.name();
    bool appends = isPacked() && ConstantPool::canAppendTo(llvm::Triple(targets.cpus.front().triple));
    ConstantPool pool(/*keepsAll=*/!appends || options.sanitizer != Sanitizer::None, file);
    CompileStatus status = generateCode(*signature, pool);
    if (status != CompileStatus::Done || !hasCode())
      return status;
    releaseFreeMemory(); // LLVM's, before the weights are in memory twice
    if (weights && !weights->isEmpty())
      result.weights = weights->take();
    if (!isPacked())
      return status;
    if (std::string error = pool.appendTo(result.code); !error.empty())
      return session.internalError("the constants cannot be written: " + error);
    return checkObject(signature->externs) == CompileStatus::Done ? packObject() : CompileStatus::InternalError;
  }

  /// All that needs LLVM's module.
  CompileStatus generateCode(ModuleSignature &signature, ConstantPool &pool) {
    llvm::LLVMContext context;
    KernelText text = options.emit != EmitKind::MLIR ? KernelText::None
                      : options.emitStage == "llvm"  ? KernelText::LLVM
                                                     : KernelText::Kernels;
    DeviceOptions device{options.optLevel, options.emit == EmitKind::PTX ? "" : findPtxas(options.ptxas)};
    EmittedModule emitted =
        timed("kernels", [&] { return emitModule(*module, signature, targets, device, context, pool, text); });
    if (!emitted.code)
      return CompileStatus::InternalError;
    kernelNote = fmt::format("{} kernel calls share {} kernels", emitted.kernelCalls, emitted.distinctKernels);
    result.header = writeHeader(signature);
    if (options.emit == EmitKind::MLIR) {
      result.code = emitted.text;
      return CompileStatus::Done;
    }
    if (options.emit == EmitKind::PTX)
      result.code = std::move(emitted.ptx);
    if (!hasCode())
      return CompileStatus::Done;
    return writeObject(*emitted.code);
  }

  CompileStatus writeObject(llvm::Module &code) {
    std::string error;
    VectorTarget target =
        targets.cpus.size() > 1 ? *cpu::parseTarget("x86-64") : targets.cpus.front(); // functions know their level
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, options.optLevel, error);
    if (!machine)
      return session.usage("target '" + options.target + "': " + error);
    code.setTargetTriple(machine->getTargetTriple());
    code.setDataLayout(machine->createDataLayout());
    code.setPICLevel(llvm::PICLevel::BigPIC);
    setTargetAttributes(code, target);
    timed("llvm", [&] { return optimize(code, *machine, options.optLevel), 0; });
    if (options.sanitizer != Sanitizer::None)
      timed("sanitize", [&] { return instrument(code, *machine, options.sanitizer), 0; });
    if (options.emit == EmitKind::LLVM) {
      llvm::raw_string_ostream(result.code) << code;
      return CompileStatus::Done;
    }
    StringStream out(result.code);
    if (options.emit == EmitKind::Bitcode) {
      llvm::WriteBitcodeToFile(code, out);
      return CompileStatus::Done;
    }
    if (!timed("codegen", [&] { return writeCode(code, *machine, options.emit == EmitKind::Assembly, out); }))
      return session.usage("target '" + options.target + "' has no object writer");
    return CompileStatus::Done;
  }

  bool hasCode() const {
    return options.emit != EmitKind::MLIR && options.emit != EmitKind::Header && options.emit != EmitKind::PTX &&
           options.emit != EmitKind::None;
  }
  /// An object, or what is made of one.
  bool isPacked() const {
    return options.emit == EmitKind::Object || options.emit == EmitKind::Shared || options.emit == EmitKind::StaticLibrary;
  }

  CompileStatus checkObject(llvm::ArrayRef<ExternFunction> externs) {
    std::vector<std::string> strangers = strangeSymbols(result.code, options.sanitizer, externs);
    if (strangers.empty())
      return CompileStatus::Done;
    return session.internalError(
        fmt::format("the object calls {}, which generated objects must not do", fmt::join(strangers, ", ")));
  }

  /// The object as what is asked for.
  CompileStatus packObject() {
    std::string error;
    if (options.emit == EmitKind::Shared)
      result.code = timed("link", [&] { return linkShared(StringRef(result.code), error); });
    else if (options.emit == EmitKind::StaticLibrary)
      result.code = makeArchive(result.code, prefix() + ".o", error);
    return error.empty() ? CompileStatus::Done : session.internalError(error);
  }

  std::string report() {
    std::string text;
    double total = 0;
    for (auto &[name, seconds] : times) {
      text += fmt::format("{:>12} {:8.1f} ms\n", name, seconds * 1e3);
      total += seconds;
    }
    return text + fmt::format("{:>12} {:8.1f} ms   {}\n", "all", total * 1e3, kernelNote);
  }

  const std::string &path;
  CompileOptions options;
  ConstInputs *constants; // may be null
  Session session;
  Targets targets;
  OwningOpRef<ModuleOp> module;
  CompileResult result;
  std::vector<std::pair<std::string, double>> times;
  std::string kernelNote;
  std::string saveError; // why a stage could not be saved
};
} // namespace

CompileResult lathe::compileFile(const std::string &path, const CompileOptions &options) {
  return compileFile(path, options, nullptr);
}

CompileResult lathe::compileFile(const std::string &path, const CompileOptions &options, ConstInputs *constants) {
  return Compilation(path, options, constants).run();
}
