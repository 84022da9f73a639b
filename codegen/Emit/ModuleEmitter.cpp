#include "codegen/Emit/ModuleEmitter.h"
#include "codegen/CPU/KernelEmitter.h"
#include "codegen/Emit/CpuLevel.h"
#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/LowerToLLVM.h"
#include "codegen/Kernels/LowerToNests.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/Verifier.h"
#include "passes/Plan/Plan.h"
#include "passes/Specialize/Specialize.h"
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
  copy->erase();
  return text;
}

/// The op that names the kernel in profiles, and the others. What folding made has no place in the graph: its function's stands
/// for it.
void annotate(KernelOp kernel) {
  if (sourcePlace(kernel.getLoc()).line == 0)
    kernel->setLoc(kernel->getParentOfType<func::FuncOp>().getLoc());
  auto isMain = [](Operation &op) {
    return isa<ReduceOp, ArgmaxOp, DotGeneralOp, ConvOp, ConvInputGradOp, ConvFilterGradOp, ScatterOp>(op);
  };
  Block &body = kernel.getBody().front();
  Operation *hero = &*std::prev(body.without_terminator().end());
  for (Operation &op : body.without_terminator())
    if (isMain(op))
      hero = &op;
  std::string fused;
  for (Operation &op : body.without_terminator())
    if (&op != hero)
      fused += (fused.empty() ? "" : " ") + op.getName().getStringRef().str();
  Builder builder(kernel.getContext());
  kernel->setAttr("lathe.hero", builder.getStringAttr(hero->getName().getStringRef()));
  kernel->setAttr("lathe.fused", builder.getStringAttr(fused));
}

class ModuleEmitter {
public:
  ModuleEmitter(ModuleOp module, ModuleSignature &signature, const cpu::Target &target)
      : module(module), signature(signature), target(target), kernelModule(ModuleOp::create(module.getLoc())) {}

  LogicalResult emitKernels(EmittedModule &result) {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!isExported(function))
        continue;
      for (auto kernel : function.getBody().getOps<KernelOp>()) {
        ++result.kernelCalls;
        if (failed(emitKernel(kernel)))
          return failure();
      }
    }
    result.distinctKernels = known.size();
    return success();
  }

  LogicalResult lower(EmittedModule &result, llvm::LLVMContext &context, bool keepText) {
    if (failed(mlir::verify(*kernelModule)))
      return failure();
    if (keepText)
      llvm::raw_string_ostream(result.kernelsText) << *kernelModule;
    if (failed(lowerToLLVMDialect(*kernelModule)))
      return kernelModule->emitError("kernels did not lower to LLVM");
    attachDebugLines(*kernelModule, signature.source);
    result.code = translateToLLVM(*kernelModule, context, signature.source);
    return success(result.code != nullptr);
  }

  void emitEntries(llvm::Module &code) {
    EmitContext emit(code, signature, target);
    if (target.level > 1)
      addLevelFunction(emit);
    std::vector<std::vector<Version>> all;
    std::vector<llvm::GlobalVariable *> tables;
    for (Signature &function : signature.functions) {
      std::vector<Version> versions = versionsOf(function);
      function.workspace = workspaceOf(versions);
      tables.push_back(emitKernelTable(emit, function, versions.back(), kernels));
      std::vector<llvm::Function *> bodies;
      for (const Version &version : versions)
        bodies.push_back(emitVersion(emit, function, version, kernels, version.fixed.empty() ? tables.back() : nullptr));
      emitEntry(emit, function, versions, bodies);
      all.push_back(std::move(versions));
    }
    emitInfo(emit, all, tables);
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
    if (symbol.isNeverParallel())
      threads = "on the calling thread: too little work to share";
    explain(kernel.getLoc(), "kernels", "{}: {}, {}", symbol.name, vectors, threads);
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
      if (type && type.getElementType().isIntOrFloat() && !type.getElementType().isInteger(1) &&
          (!widest || type.getNumElements() > widest.getNumElements()))
        widest = type;
    });
    return widest;
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

  /// The general version's formula holds for all: a specialised plan that needs more would be a surprise to the caller.
  Dim workspaceOf(const std::vector<Version> &versions) {
    func::FuncOp general = versions.back().function;
    return Dim::fromAttr(general->getAttrOfType<DimAttr>(kWorkspaceAttr));
  }

  ModuleOp module;
  ModuleSignature &signature;
  const cpu::Target &target;
  OwningOpRef<ModuleOp> kernelModule;
  std::map<std::string, KernelSymbol> known;
  KernelSymbols kernels;
};
} // namespace

EmittedModule lathe::emitModule(ModuleOp module, ModuleSignature &signature, const cpu::Target &target,
                                llvm::LLVMContext &context, bool keepText) {
  EmittedModule result;
  ModuleEmitter emitter(module, signature, target);
  if (failed(emitter.emitKernels(result)) || failed(emitter.lower(result, context, keepText)))
    return {};
  emitter.emitEntries(*result.code);
  return result;
}
