#include "codegen/Emit/ModuleEmitter.h"
#include "codegen/CPU/KernelEmitter.h"
#include "codegen/Emit/CpuLevel.h"
#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Kernels/LowerToNests.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace lathe;

namespace {

/// What makes two kernels the same code: their text without names of values and places in the source.
std::string structureOf(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream out(text);
  OpPrintingFlags flags;
  flags.useLocalScope().assumeVerified();
  KernelOp copy = kernel.clone(); // detached: values number from zero
  copy->removeAttr(kBuffersAttr);
  copy->removeAttr("lathe.hero");
  copy->removeAttr("lathe.fused");
  for (Operation &op : copy.getBody().front()) {
    out << op.getName() << ' ' << op.getAttrDictionary() << " : ";
    llvm::interleaveComma(op.getOperands(), out, [&](Value operand) {
      if (auto argument = dyn_cast<BlockArgument>(operand))
        out << 'a' << argument.getArgNumber();
      else
        out << 'v' << std::distance(op.getBlock()->begin(), operand.getDefiningOp()->getIterator());
      out << ' ' << operand.getType();
    });
    out << " -> ";
    llvm::interleaveComma(op.getResultTypes(), out);
    out << '\n';
  }
  llvm::interleaveComma(copy.getBody().getArgumentTypes(), out);
  out << (kernel->hasAttr(kRowsAttr) ? " over rows" : "");
  if (Attribute units = kernel->getAttr(kSizedUnitsAttr))
    out << ' ' << units;
  copy->erase();
  return text;
}

/// The op that names the kernel in profiles, and the others. What folding made has no place in the graph: its function's stands
/// for it.
void annotate(KernelOp kernel) {
  if (sourcePlace(kernel.getLoc()).line == 0)
    kernel->setLoc(kernel->getParentOfType<func::FuncOp>().getLoc());
  auto isMain = [](Operation &op) {
    return isa<ReduceOp, ArgmaxOp, ArgminOp, DotGeneralOp, ConvOp, ConvInputGradOp, ConvFilterGradOp, ReduceWindowOp,
               WindowIndexOp, WindowGatherOp, WindowScatterOp>(op) ||
           op.hasTrait<OwnKernelTrait>();
  };
  Block &body = kernel.getBody().front();
  Operation *hero = &*std::prev(body.without_terminator().end());
  for (Operation &op : body.without_terminator())
    if (isMain(op))
      hero = &op;
  std::string fused;
  for (Operation &op : body.without_terminator())
    if (&op != hero && !isa<ScratchOp>(op))
      fused += (fused.empty() ? "" : " ") + op.getName().getStringRef().str();
  Builder builder(kernel.getContext());
  kernel->setAttr("lathe.hero", builder.getStringAttr(hero->getName().getStringRef()));
  kernel->setAttr("lathe.fused", builder.getStringAttr(fused));
}

/// The kernels of all exported functions, as code for one target.
class LevelEmitter {
public:
  LevelEmitter(ModuleOp module, const ModuleSignature &signature, const cpu::Target &target)
      : target(target), module(module), signature(signature), kernelModule(ModuleOp::create(module.getLoc())) {}

  const cpu::Target &target;
  KernelSymbols kernels;

  LogicalResult emitKernels(EmittedModule &result) {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!isExported(function))
        continue;
      SmallVector<KernelOp> inside;
      function.walk([&](KernelOp kernel) { inside.push_back(kernel); });
      for (KernelOp kernel : inside) {
        ++result.kernelCalls;
        if (failed(emitKernel(kernel)))
          return failure();
      }
    }
    result.distinctKernels += known.size();
    return success();
  }

  /// The code of the kernels; null with a diagnostic on failure.
  std::unique_ptr<llvm::Module> lower(EmittedModule &result, llvm::LLVMContext &context, KernelText text) {
    if (failed(mlir::verify(*kernelModule)))
      return nullptr;
    if (text == KernelText::Kernels)
      llvm::raw_string_ostream(result.text) << *kernelModule;
    if (failed(lowerToLLVMDialect(*kernelModule))) {
      kernelModule->emitError("kernels did not lower to LLVM");
      return nullptr;
    }
    attachDebugLines(*kernelModule, signature.source);
    if (text == KernelText::LLVM)
      llvm::raw_string_ostream(result.text) << *kernelModule;
    std::unique_ptr<llvm::Module> code = translateToLLVM(*kernelModule, context, signature.source);
    if (code)
      setTargetAttributes(*code, target);
    return code;
  }

private:
  bool isExported(func::FuncOp function) {
    StringRef name = function.getSymName();
    if (auto base = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr))
      name = base.getValue();
    return llvm::any_of(signature.functions, [&](const Signature &entry) { return entry.name == name; });
  }

  LogicalResult emitKernel(KernelOp kernel) {
    annotate(kernel);
    if (ExternOp op = externOf(kernel)) {
      kernels[kernel] = {op.getCallee().str(), {}};
      explain(kernel.getLoc(), "kernels", "{} is the application's: one call on the calling thread", op.getCallee().str());
      return success();
    }
    if (Operation *report = reportOf(kernel)) {
      kernels[kernel] = {report->getName().stripDialect().str(), {}};
      return success();
    }
    std::string structure = structureOf(kernel);
    auto it = known.find(structure);
    if (it == known.end()) {
      StringRef hero = kernel->getAttrOfType<StringAttr>("lathe.hero").getValue();
      std::string name =
          "kernel_" + hero.drop_front(6).str() + "_" + llvm::utohexstr(llvm::xxh3_64bits(structure), /*LowerCase=*/true);
      KernelOp nests = kernel.clone();
      OwningOpRef<KernelOp> owner(nests);
      if (failed(lowerToNests(nests, [&](Operation *op) { return cpu::hasOwnEmitter(op, target); })))
        return failure();
      FailureOr<cpu::KernelCode> code = cpu::emitKernel(nests, *kernelModule, name, target);
      if (failed(code))
        return failure();
      KernelSymbol symbol{name, code->symbols, code->extent, code->unit, code->work};
      explainCode(kernel, symbol, code->function);
      it = known.emplace(structure, std::move(symbol)).first;
    } else
      explain(kernel.getLoc(), "kernels", "the code of {} serves here too", it->second.name);
    kernels[kernel] = it->second;
    return success();
  }

  void explainCode(KernelOp kernel, const KernelSymbol &symbol, LLVM::LLVMFuncOp code) {
    if (!isExplaining(module.getContext()))
      return;
    std::string vectors = "no vectors";
    if (VectorType widest = widestVector(code))
      vectors = fmt::format("vectors of {} {}", widest.getNumElements(), elementText(widest.getElementType()));
    std::string threads = fmt::format("threads share {} pieces of work{}", symbol.extent.str(),
                                      symbol.work.isStatic() ? "" : " when there is enough");
    if (symbol.isNeverParallel(signature.parallelWork))
      threads = "on the calling thread: too little work to share";
    explain(kernel.getLoc(), "kernels", "{} for {}: {}, {}", symbol.name, target.cpu, vectors, threads);
  }

  /// Of all that the kernel's code does, in the functions that it calls too; null if nothing is a vector.
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

  ModuleOp module;
  const ModuleSignature &signature;
  OwningOpRef<ModuleOp> kernelModule;
  std::map<std::string, KernelSymbol> known;
};

/// Entries and tables around the kernels of one level, or of several.
class EntriesEmitter {
public:
  using Levels = llvm::ArrayRef<std::unique_ptr<LevelEmitter>>;

  EntriesEmitter(ModuleOp module, ModuleSignature &signature, Levels levels, llvm::Module &code, ConstantPool &constants)
      : module(module), signature(signature), levels(levels), emit(code, signature, levels.front()->target, constants) {
    for (auto &level : levels)
      targets.push_back(level->target);
  }

  void run() {
    if (targets.back().level > 1)
      addLevelFunction(emit);
    std::vector<std::vector<Version>> all;
    std::vector<llvm::GlobalVariable *> tables;
    for (Signature &function : signature.functions) {
      all.push_back(versionsOf(function));
      function.workspace = workspaceOf(all.back());
      tables.push_back(emitKernelTable(emit, function, all.back().back(), levels.front()->kernels));
      emitWorkspaceSize(emit, function);
      for (auto &level : levels)
        emitLevel(*level, function, all.back(), tables.back());
      if (levels.size() > 1)
        emitDispatch(emit, function, targets);
    }
    emitInfo(emit, all, tables);
    nameExterns(emit.module);
  }

private:
  /// The entry of one level and the versions behind it.
  void emitLevel(const LevelEmitter &level, const Signature &function, llvm::ArrayRef<Version> versions,
                 llvm::GlobalVariable *table) {
    emit.target = level.target;
    emit.levelSuffix = levels.size() > 1 ? levelSuffixOf(level.target) : "";
    std::vector<llvm::Function *> bodies;
    for (const Version &version : versions) { // the general version's table is the one that the information shows
      llvm::GlobalVariable *rows = version.fixed.empty() ? table : emitKernelTable(emit, function, version, level.kernels);
      bodies.push_back(emitVersion(emit, function, version, level.kernels, rows));
    }
    emitEntry(emit, function, versions, bodies);
    setTargetAttributes(emit.module, level.target);
  }

  /// Specialised versions first, the general one last.
  std::vector<Version> versionsOf(const Signature &function) {
    std::vector<Version> versions;
    for (auto candidate : module.getOps<func::FuncOp>()) {
      auto base = candidate->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
      if (!base || base.getValue() != function.name)
        continue;
      Version version;
      version.function = candidate;
      for (NamedAttribute fixed : candidate->getAttrOfType<DictionaryAttr>(kFixedDimsAttr)) {
        int64_t size = cast<IntegerAttr>(fixed.getValue()).getInt();
        version.fixed[fixed.getName().str()] = size;
        version.name += (version.name.empty() ? "" : ",") + fixed.getName().str() + "=" + std::to_string(size);
      }
      versions.push_back(std::move(version));
    }
    versions.push_back({"general", {}, module.lookupSymbol<func::FuncOp>(function.name)});
    return versions;
  }

  /// One formula for all versions is what callers know. A version packs buffers by its own sizes, and may need more than the
  /// general one does for them: that much is added for all sizes.
  static Dim workspaceOf(llvm::ArrayRef<Version> versions) {
    auto bytesOf = [](func::FuncOp function) { return Dim::fromAttr(function->getAttrOfType<DimAttr>(kWorkspaceAttr)); };
    Dim all = bytesOf(versions.back().function);
    for (const Version &version : versions) {
      std::map<std::string, Dim> values;
      for (auto &[name, value] : version.fixed)
        values[name] = Dim(value);
      Dim missing = bytesOf(version.function) - all.substitute(values);
      for (auto &[monomial, coefficient] : missing.getTerms()) {
        Dim more(std::max<int64_t>(coefficient, 0));
        for (const std::string &name : monomial)
          more = more * Dim::named(name);
        all = all + more;
      }
    }
    return all;
  }

  ModuleOp module;
  ModuleSignature &signature;
  Levels levels;
  EmitContext emit;
  std::vector<cpu::Target> targets;
};
} // namespace

/// Joins the code of several levels; false if that fails.
static bool linkLevels(llvm::ArrayRef<std::unique_ptr<LevelEmitter>> levels,
                       std::vector<std::unique_ptr<llvm::Module>> &codes) {
  auto definitions = [](llvm::Module &code) {
    return llvm::make_filter_range(code, [](llvm::Function &function) { return !function.isDeclaration(); });
  };
  for (auto [level, code] : llvm::zip_equal(levels, codes))
    for (llvm::Function &function : definitions(*code)) {
      function.setName(function.getName() + levelSuffixOf(level->target));
      function.setLinkage(llvm::GlobalValue::ExternalLinkage); // what is internal and not used yet would be left behind
    }
  for (size_t i = 1; i < codes.size(); ++i)
    if (llvm::Linker::linkModules(*codes.front(), std::move(codes[i])))
      return false;
  for (llvm::Function &function : definitions(*codes.front()))
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return true;
}

EmittedModule lathe::emitModule(ModuleOp module, ModuleSignature &signature, llvm::ArrayRef<cpu::Target> targets,
                                llvm::LLVMContext &context, ConstantPool &constants, KernelText text) {
  EmittedModule result;
  std::vector<std::unique_ptr<LevelEmitter>> levels;
  std::vector<std::unique_ptr<llvm::Module>> codes;
  for (const cpu::Target &target : targets) {
    levels.push_back(std::make_unique<LevelEmitter>(module, signature, target));
    if (failed(levels.back()->emitKernels(result)))
      return {};
    codes.push_back(levels.back()->lower(result, context, text));
    if (!codes.back())
      return {};
  }
  if (targets.size() > 1 && !linkLevels(levels, codes))
    return {};
  EntriesEmitter(module, signature, levels, *codes.front(), constants).run();
  result.code = std::move(codes.front());
  return result;
}
