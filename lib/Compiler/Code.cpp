#include "lib/Compiler/Code.h"
#include "codegen/Emit/CppHeader.h"
#include "codegen/Emit/HeaderWriter.h"
#include "codegen/Emit/ModuleEmitter.h"
#include "codegen/Emit/ObjectParts.h"
#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Emit/Sanitize.h"
#include "lib/Compiler/HeaderFacts.h"
#include "lib/Compiler/Link.h"
#include "lib/Compiler/MemoryBudget.h"
#include "lib/Compiler/Stages.h"
#include "lib/Support/Explain.h"
#include "lib/Support/Memory.h"
#include "lib/Support/StringStream.h"
#include "lib/Support/Text.h"
#include "passes/Recompute/Recompute.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <fmt/format.h>

using namespace mlir;
using namespace lathe;

OutputKind OutputKind::of(const CompileOptions &options) {
  OutputKind kind;
  switch (options.emit) {
  case EmitKind::MLIR:
    kind.hasGraph = options.emitStage != "kernels" && options.emitStage != "llvm";
    kind.kernelText = options.emitStage == "llvm" ? KernelText::LLVM : KernelText::Kernels;
    break;
  case EmitKind::Header:
  case EmitKind::PTX:
  case EmitKind::None:
    break;
  case EmitKind::Object:
  case EmitKind::Shared:
  case EmitKind::StaticLibrary:
    kind.isPacked = true;
    [[fallthrough]];
  case EmitKind::Assembly:
  case EmitKind::LLVM:
  case EmitKind::Bitcode:
    kind.hasCode = true;
  }
  return kind;
}

std::string CompileTimes::report() const {
  std::string text;
  double total = 0;
  for (auto &[name, taken] : seconds) {
    text += fmt::format("{:>12} {:8.1f} ms\n", name, taken * 1e3);
    total += taken;
  }
  return text + fmt::format("{:>12} {:8.1f} ms   {}\n", "all", total * 1e3, kernelNote);
}

namespace {
class CodeEmission {
public:
  CodeEmission(ModuleOp module, const std::string &path, const CompileOptions &options, const Targets &targets,
               Session &session, CompileResult &result, CompileTimes &times)
      : module(module), path(path), options(options), targets(targets), session(session), result(result), times(times),
        kind(OutputKind::of(options)) {}

  CompileStatus run();
  /// Emits the module, and returns what its GPU kernels need beside the plan, by function; nothing after an error.
  std::vector<std::pair<std::string, Dim>> deviceBytes();

private:
  template <typename Function>
  auto timed(StringRef name, Function function) {
    if (options.progress)
      options.progress(name.str());
    auto start = std::chrono::steady_clock::now();
    auto value = function();
    times.seconds.emplace_back(name.str(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return value;
  }

  std::string prefix() const {
    if (!options.prefix.empty())
      return options.prefix;
    return toCIdentifier(path == "-" ? "graph" : llvm::sys::path::stem(path).str(), "_");
  }

  FailureOr<ModuleSignature> describe(const WeightsFile *weights);
  CompileStatus generateCode(const ModuleSignature &signature, ConstantPool &pool);
  CompileStatus writeObject(llvm::Module &code);
  CompileStatus writeInParts(ObjectParts parts);
  CompileStatus checkObject(ArrayRef<ExternFunction> externs);
  CompileStatus packObject(ConstantPool &pool);

  ModuleOp module;
  const std::string &path;
  const CompileOptions &options;
  const Targets &targets;
  Session &session;
  CompileResult &result;
  CompileTimes &times;
  const OutputKind kind;
};
} // namespace

FailureOr<ModuleSignature> CodeEmission::describe(const WeightsFile *weights) {
  std::string source = path == "-" ? "stdin.mlir" : llvm::sys::path::filename(path).str();
  FailureOr<ModuleSignature> signature =
      describeModule(module, prefix(), source, options.entries, options.threads, targets.cpus, weights);
  if (failed(signature))
    return failure();
  signature->parallelWork = options.parallelWork;
  if (!options.debugPrefix.empty())
    signature->debugFolder = options.debugPrefix;
  signature->maker = makerOf(options);
  if (llvm::StringRef text = session.graphText(); !text.empty())
    addDocComments(text, *signature);
  signature->weightsFile = options.weightsFile.empty() ? prefix() + ".weights" : options.weightsFile;
  if (!targets.hasCpuKernels)
    signature->targets.clear();
  for (const gpu::Target &target : targets.gpus)
    signature->targets += (signature->targets.empty() ? "cuda:" : ",cuda:") + target.name();
  return signature;
}

CompileStatus CodeEmission::run() {
  std::optional<WeightsFile> weights;
  if (options.externWeights)
    weights.emplace(module);
  const WeightsFile *file = weights ? &*weights : nullptr;
  FailureOr<ModuleSignature> signature = describe(file);
  if (failed(signature) || failed(checkKernels(module, targets)))
    return CompileStatus::Refused;
  bool appends = kind.isPacked && ConstantPool::canAppendTo(llvm::Triple(targets.cpus.front().triple));
  ConstantPool pool(/*keepsAll=*/!appends || options.sanitizer != Sanitizer::None, file);
  CompileStatus status = generateCode(*signature, pool);
  if (status != CompileStatus::Done || !kind.hasCode)
    return status;
  releaseFreeMemory(); // frees LLVM's memory before the weights are in memory twice
  if (weights && !weights->isEmpty())
    result.weights = weights->take();
  if (!kind.isPacked)
    return status;
  return checkObject(signature->externs) == CompileStatus::Done ? packObject(pool) : CompileStatus::InternalError;
}

std::vector<std::pair<std::string, Dim>> CodeEmission::deviceBytes() {
  std::vector<std::pair<std::string, Dim>> found;
  FailureOr<ModuleSignature> signature = describe(nullptr);
  if (failed(signature) || failed(checkKernels(module, targets)))
    return found;
  ConstantPool pool(/*keepsAll=*/true, nullptr);
  llvm::LLVMContext context;
  EmittedModule emitted = emitModule(module, *signature, targets, options.optLevel, context, pool, kind.kernelText);
  if (emitted.code)
    for (auto [function, bytes] : llvm::zip_equal(emitted.signature.functions, emitted.deviceBytes))
      found.emplace_back(function.name, bytes);
  return found;
}

/// Runs all steps that need LLVM's module.
CompileStatus CodeEmission::generateCode(const ModuleSignature &signature, ConstantPool &pool) {
  llvm::LLVMContext context;
  EmittedModule emitted = timed(
      "kernels", [&] { return emitModule(module, signature, targets, options.optLevel, context, pool, kind.kernelText); });
  if (!emitted.code)
    return CompileStatus::InternalError;
  if (failed(checkBudget(module, emitted.signature, options)))
    return CompileStatus::Refused;
  times.kernelNote = fmt::format("{} kernel calls share {} kernels", emitted.kernelCalls, emitted.distinctKernels);
  result.header = writeHeader(emitted.signature);
  if (!options.headerFile.empty())
    result.cppHeader = writeCppHeader(emitted.signature, options.headerFile);
  if (options.emit == EmitKind::MLIR)
    result.code = emitted.text;
  else if (options.emit == EmitKind::PTX)
    result.code = std::move(emitted.ptx);
  return kind.hasCode ? writeObject(*emitted.code) : CompileStatus::Done;
}

CompileStatus CodeEmission::writeObject(llvm::Module &code) {
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
  inlineKernels(code, *machine, options.optLevel);
  bool isDivisible =
      kind.isPacked && ConstantPool::canAppendTo(machine->getTargetTriple()) && options.sanitizer == Sanitizer::None;
  if (unsigned count = countParts(code); isDivisible && count > 1)
    return writeInParts(ObjectParts(code, count, target, options.optLevel, options.jobs));
  timed("llvm", [&] { return optimizeFunctions(code, *machine, options.optLevel), 0; });
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

/// Compiles the parts of a module on several threads.
CompileStatus CodeEmission::writeInParts(ObjectParts parts) {
  timed("llvm", [&] { return parts.optimize(), 0; });
  if (!timed("codegen", [&] { return parts.compile(); }))
    return session.usage("target '" + options.target + "' has no object writer");
  std::string error;
  result.code = timed("join", [&] { return joinObjects(parts.take(), error); });
  return error.empty() ? CompileStatus::Done : session.internalError(error);
}

CompileStatus CodeEmission::checkObject(ArrayRef<ExternFunction> externs) {
  std::vector<std::string> strangers = strangeSymbols(result.code, options.sanitizer, externs);
  if (strangers.empty())
    return CompileStatus::Done;
  return session.internalError(
      fmt::format("the object calls {}, which generated objects must not do", fmt::join(strangers, ", ")));
}

/// Turns the object into the requested kind of output, and writes it with the constants.
CompileStatus CodeEmission::packObject(ConstantPool &pool) {
  std::string object = std::move(result.code), error;
  result.code.clear();
  bool isWritten = true;
  auto keep = [&](StringRef bytes) { return result.code.append(bytes), true; };
  auto write = [&](StringRef bytes) {
    return isWritten = options.write ? options.write(bytes.data(), bytes.size()) : keep(bytes);
  };
  if (!options.write || options.emit == EmitKind::StaticLibrary)
    result.code.reserve(object.size() + pool.keptBytes() + (1 << 16)); // avoids doubling
  timed(options.emit == EmitKind::Shared ? "link" : "write", [&] {
    if (options.emit == EmitKind::Object)
      error = pool.writeObject(std::move(object), write);
    else if (options.emit == EmitKind::Shared)
      error =
          pool.writeShared(std::move(object), [](StringRef bytes, std::string &why) { return linkShared(bytes, why); }, write);
    else
      error = pool.writeObject(std::move(object), keep);
    return 0;
  });
  if (options.emit == EmitKind::StaticLibrary && error.empty()) {
    result.code = makeArchive(result.code, prefix() + ".o", error);
    if (options.write && error.empty())
      write(std::exchange(result.code, {}));
  }
  if (!error.empty())
    return session.internalError(error);
  return isWritten ? CompileStatus::Done : CompileStatus::WrongUsage;
}

CompileStatus lathe::emitCode(ModuleOp module, const std::string &path, const CompileOptions &options, const Targets &targets,
                              Session &session, CompileResult &result, CompileTimes &times) {
  return CodeEmission(module, path, options, targets, session, result, times).run();
}

void lathe::reserveDeviceBytes(ModuleOp module, const std::string &path, const CompileOptions &options, const Targets &targets,
                               Session &session) {
  Trial trial;
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  CompileOptions unbounded = options;
  unbounded.memoryBudget = 0;
  unbounded.progress = nullptr;
  unbounded.emit = EmitKind::None;
  unbounded.externWeights = false;
  Targets uncompiled = targets;
  uncompiled.ptxas.clear();
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runStages(*copy, lastGraphStage(), unbounded, uncompiled, [](const Stage &, double) { return success(); })))
    return;
  CompileResult ignored;
  CompileTimes times;
  for (auto &[name, bytes] : CodeEmission(*copy, path, unbounded, uncompiled, session, ignored, times).deviceBytes())
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      function->setAttr(kReservedAttr, bytes.toAttr(module.getContext()));
}
