// The code of a module:
//
//   kernels: one function per structure and CPU level                      // KernelSharing.cpp, codegen/CPU
//   set the workspaces in the signature: they hold the scratch memory of GPU kernels
//   for exported function
//     PREFIX_name_workspace_size                                           // EntryEmitter.cpp
//     device versions, if there are GPU targets                            // DeviceCalls.cpp
//     for CPU level: versions and the entry                                // VersionEmitter.cpp, EntryEmitter.cpp
//     if there are several levels: an entry that selects one
//   PREFIX_info and its tables                                             // InfoTable.cpp
#include "codegen/Emit/ModuleEmitter.h"
#include "codegen/CPU/Forms.h"
#include "codegen/Emit/CpuLevel.h"
#include "codegen/Emit/DeviceCode.h"
#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/KernelSharing.h"
#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Emit/ObjectWriter.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/QuotientSums.h"
#include "lib/Support/Explain.h"
#include "llvm/Linker/Linker.h"

using namespace mlir;
using namespace lathe;

namespace {

/// Emits the kernels of all exported functions for one CPU level.
class LevelEmitter : public KernelSharing {
public:
  LevelEmitter(ModuleOp module, const ModuleSignature &signature, const VectorTarget &target)
      : KernelSharing(module, signature), target(target) {}

  const VectorTarget &target;

  /// Returns the code of the kernels; null with a diagnostic on failure.
  std::unique_ptr<llvm::Module> lower(EmittedModule &result, llvm::LLVMContext &context, KernelText text) {
    if (failed(lowerKernels(text, result.text, LLVM::DIEmissionKind::Full)))
      return nullptr;
    std::unique_ptr<llvm::Module> code = translateToLLVM(*kernelModule, context, signature.source);
    if (code)
      setTargetAttributes(*code, target);
    return code;
  }

private:
  MachineKind machine() const override { return MachineKind::CPU; }
  std::string targetName() const override { return target.name(); }
  FailureOr<KernelSymbol> emitDistinct(KernelOp kernel, const std::string &name) override {
    FailureOr<cpu::KernelCode> code = cpu::emitKernel(kernel, *kernelModule, name, target);
    if (failed(code))
      return failure();
    KernelSymbol symbol{name, code->symbols, code->extent, code->unit, code->work, code->threadWork, code->mostThreads};
    symbol.usesTiles = code->usesTiles;
    explainCode(kernel, symbol, code->function);
    return symbol;
  }

  void explainCode(KernelOp kernel, const KernelSymbol &symbol, LLVM::LLVMFuncOp code) {
    if (!isExplaining(kernel.getContext()))
      return;
    std::string vectors = "no vectors";
    if (VectorType widest = widestVector(code))
      vectors = fmt::format("vectors of {} {}", widest.getNumElements(), elementText(widest.getElementType()));
    Dim chunks = ceilDiv(symbol.extent, symbol.unit);
    std::string threads =
        fmt::format("parallel over {} chunks{}", chunks.str(), symbol.work.isStatic() ? "" : " if the work is large enough");
    if (symbol.work.isStatic() && symbol.work.constant() < signature.parallelWork)
      threads = "on the calling thread: too little work to share";
    else if (symbol.isNeverParallel(signature.parallelWork))
      threads = "on the calling thread: one chunk";
    explain(kernel.getLoc(), "kernels", "{} for {}: {}, {}", symbol.name, target.name(), vectors, threads);
  }

  /// Returns the widest vector in the kernel's code and in the functions that it calls; null if there is none.
  VectorType widestVector(LLVM::LLVMFuncOp code) {
    VectorType widest;
    code.walk([&](Operation *op) {
      VectorType type;
      if (op->getNumResults())
        type = dyn_cast<VectorType>(op->getResult(0).getType());
      if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
        type = widestVector(kernelModule->lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee()));
      auto rank = [](VectorType of) {
        return of ? std::pair(of.getNumElements(), isa<FloatType>(of.getElementType())) : std::pair(int64_t(0), false);
      };
      if (type && type.getElementType().isIntOrFloat() && !type.getElementType().isInteger(1) && rank(type) > rank(widest))
        widest = type;
    });
    return widest;
  }
};

/// Emits entries and tables around the kernels of all levels.
class EntriesEmitter {
public:
  using Levels = llvm::ArrayRef<std::unique_ptr<LevelEmitter>>;

  EntriesEmitter(const ModuleSignature &signature, llvm::ArrayRef<VersionList> versions, const Targets &targets, Levels levels,
                 const DeviceCode &device, llvm::Module &code, ConstantPool &constants, unsigned optLevel)
      : signature(signature), versions(versions), targets(targets), levels(levels), device(device),
        emit(code, signature, targets.cpus.front(), constants) {
    emit.inlinesKernels = optLevel > 1;
  }

  void run() {
    if (targets.cpus.back().level > 1)
      addLevelFunction(emit);
    if (llvm::any_of(signature.functions, [](const Signature &function) { return function.usesTiles; }))
      addTilesFunction(emit);
    if (!targets.gpus.empty())
      deviceTables = emitDeviceTables(emit, device);
    std::vector<llvm::GlobalVariable *> tables;
    for (auto [function, list] : llvm::zip_equal(signature.functions, versions)) {
      tables.push_back(emitKernelTable(emit, function, list.back(), namesOfKernels()));
      emitFunction(function, list, tables.back());
    }
    emitInfo(emit, versions, tables);
    nameExterns(emit.module);
  }

private:
  const KernelSymbols &namesOfKernels() const { return levels.empty() ? device.kernels : levels.front()->kernels; }

  /// Emits all C functions of one exported function, of which `table` lists the kernel calls.
  void emitFunction(const Signature &function, llvm::ArrayRef<Version> list, llvm::GlobalVariable *table) {
    emitWorkspaceSizes(emit, function);
    deviceBodies.clear();
    if (!targets.gpus.empty())
      deviceBodies = emitBodies(function, list, table, device.kernels, [&](const Version &version, auto *rows) {
        return emitDeviceVersion(emit, function, version, device.kernels, rows, deviceTables);
      });
    for (auto &level : levels)
      emitVersionsFor(*level, function, list, table);
    if (levels.empty()) // without CPU kernels
      emitEntry(emit, function, list, {}, deviceBodies);
    if (levels.size() > 1)
      emitDispatch(emit, function, targets.cpus);
  }

  /// Emits the versions of a function. The general one uses `table`, which PREFIX_info refers to.
  template <typename Emit>
  std::vector<llvm::Function *> emitBodies(const Signature &function, llvm::ArrayRef<Version> list, llvm::GlobalVariable *table,
                                           const KernelSymbols &kernels, Emit emitBody) {
    std::vector<llvm::Function *> bodies;
    for (const Version &version : list) {
      llvm::GlobalVariable *rows = version.fixed.empty() ? table : emitKernelTable(emit, function, version, kernels);
      bodies.push_back(emitBody(version, rows));
    }
    return bodies;
  }

  /// Emits the versions of one level and their entry.
  void emitVersionsFor(const LevelEmitter &level, const Signature &function, llvm::ArrayRef<Version> list,
                       llvm::GlobalVariable *table) {
    emit.target = level.target;
    emit.levelSuffix = levels.size() > 1 ? levelSuffixOf(level.target) : "";
    std::vector<llvm::Function *> bodies =
        emitBodies(function, list, table, level.kernels, [&](const Version &version, auto *rows) {
          return emitVersion(emit, function, version, level.kernels, rows);
        });
    emitEntry(emit, function, list, bodies, deviceBodies);
    setTargetAttributes(emit.module, level.target);
  }

  const ModuleSignature &signature;
  llvm::ArrayRef<VersionList> versions; // of each function of the signature
  const Targets &targets;
  Levels levels;
  const DeviceCode &device;
  EmitContext emit;
  llvm::GlobalVariable *deviceTables = nullptr;
  std::vector<llvm::Function *> deviceBodies; // of the current function
};
} // namespace

/// Links the code of several levels; returns false on failure.
static bool linkLevels(llvm::ArrayRef<std::unique_ptr<LevelEmitter>> levels,
                       std::vector<std::unique_ptr<llvm::Module>> &codes) {
  auto definitions = [](llvm::Module &code) {
    return llvm::make_filter_range(code, [](llvm::Function &function) { return !function.isDeclaration(); });
  };
  for (auto [level, code] : llvm::zip_equal(levels, codes))
    for (llvm::Function &function : definitions(*code)) {
      function.setName(function.getName() + levelSuffixOf(level->target));
      function.setLinkage(llvm::GlobalValue::ExternalLinkage); // the linker drops internal functions without uses
    }
  for (size_t i = 1; i < codes.size(); ++i)
    if (llvm::Linker::linkModules(*codes.front(), std::move(codes[i])))
      return false;
  for (llvm::Function &function : definitions(*codes.front()))
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return true;
}

LogicalResult lathe::checkKernels(ModuleOp module, const Targets &targets) {
  return targets.gpus.empty() ? success() : checkDeviceKernels(module);
}

/// Sets the workspace of each function: its buffers and, for GPUs, the memory that a device needs besides them. Returns the
/// latter.
static std::vector<Dim> setWorkspaces(ModuleSignature &signature, llvm::ArrayRef<VersionList> versions, const Targets &targets,
                                      const DeviceCode &device) {
  std::vector<Dim> besides;
  for (auto [function, list] : llvm::zip_equal(signature.functions, versions)) {
    besides.push_back(targets.gpus.empty() ? Dim(0) : stagingSize(function, device.kernels, list));
    function.workspace = arenaOf(list) + besides.back();
    function.coldWorkspace = coldArenaOf(list);
  }
  return besides;
}

/// Records which functions have kernels that use the tile registers of AMX.
static void findTiles(ModuleSignature &signature, llvm::ArrayRef<VersionList> versions,
                      llvm::ArrayRef<std::unique_ptr<LevelEmitter>> levels) {
  for (auto [function, list] : llvm::zip_equal(signature.functions, versions))
    for (const Version &version : list)
      for (KernelOp kernel : kernelsOf(version))
        function.usesTiles |= llvm::any_of(levels, [&](auto &level) {
          auto found = level->kernels.find(kernel);
          return found != level->kernels.end() && found->second.usesTiles;
        });
}

EmittedModule lathe::emitModule(ModuleOp module, ModuleSignature signature, const Targets &targets, unsigned optLevel,
                                llvm::LLVMContext &context, ConstantPool &constants, KernelText text) {
  KeepQuotients keep; // kernels take the sizes that occur in their types
  EmittedModule result;
  std::vector<std::unique_ptr<LevelEmitter>> levels;
  std::vector<std::unique_ptr<llvm::Module>> codes;
  for (const VectorTarget &target : targets.cpus) {
    if (!targets.hasCpuKernels)
      break;
    levels.push_back(std::make_unique<LevelEmitter>(module, signature, target));
    if (failed(levels.back()->emitKernels()))
      return {};
    result.kernelCalls += levels.back()->callCount();
    result.distinctKernels += levels.back()->distinctCount();
    codes.push_back(levels.back()->lower(result, context, text));
    if (!codes.back())
      return {};
  }
  std::optional<DeviceCode> device = emitDeviceCode(module, signature, targets, optLevel, text, result.text);
  if (!device)
    return {};
  for (const DeviceImage &image : device->images)
    if (!image.isCubin)
      result.ptx += image.data;
  if (codes.size() > 1 && !linkLevels(levels, codes))
    return module.emitError("the code of the CPU levels does not link"), EmittedModule();
  if (codes.empty())
    codes.push_back(std::make_unique<llvm::Module>(signature.source, context));
  auto versions =
      llvm::map_to_vector(signature.functions, [&](const Signature &entry) { return versionsOf(module, entry.name); });
  result.deviceBytes = setWorkspaces(signature, versions, targets, *device);
  findTiles(signature, versions, levels);
  EntriesEmitter(signature, versions, targets, levels, *device, *codes.front(), constants, optLevel).run();
  constants.removeUnread();
  result.code = std::move(codes.front());
  result.signature = std::move(signature);
  return result;
}
