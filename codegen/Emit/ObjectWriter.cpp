#include "codegen/Emit/ObjectWriter.h"
#include "codegen/Emit/Analyses.h"
#include "codegen/Emit/CpuLevel.h"
#include "codegen/Emit/Doublings.h"
#include "codegen/Emit/MaskedStores.h"
#include "codegen/Emit/Sanitize.h"
#include "codegen/Emit/ScatteredReads.h"
#include "codegen/Emit/TinyKernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace lathe;

/// Sets one of LLVM's process-wide options, for which there is no other switch.
template <typename Value>
static void setOption(llvm::StringRef name, Value value) {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto found = options.find(name); found != options.end())
    static_cast<llvm::cl::opt<Value> *>(found->second)->setValue(value);
}

/// Loop strength reduction takes a third of the back end's time: kernels increment their own pointers, and the remaining
/// arithmetic of inner loops fits x86's addressing modes. The search for places of variables takes a tenth: only lines are
/// described, not variables.
void lathe::disableIdlePasses() {
  setOption("disable-lsr", true);
  setOption("experimental-debug-variable-locations", llvm::cl::boolOrDefault(llvm::cl::BOU_FALSE));
}

/// Returns LLVM's target for a triple; null with the reason in `error` if there is none.
static const llvm::Target *findTarget(const llvm::Triple &triple, std::string &error) {
  static const bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers(); // for the inline assembly of the CPU probe
    disableIdlePasses();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

static llvm::Triple tripleOf(const VectorTarget &target) { return llvm::Triple(llvm::Triple::normalize(target.triple)); }

std::string lathe::checkTarget(const VectorTarget &target) {
  llvm::Triple triple = tripleOf(target);
  std::string error;
  const llvm::Target *found = findTarget(triple, error);
  if (!found)
    return error;
  std::unique_ptr<llvm::MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(target.cpu))
    return "there is no CPU '" + target.cpu + "' of " + target.triple + "; expected one that llc -mcpu=help names";
  for (llvm::StringRef feature : llvm::split(target.features, ',')) {
    llvm::StringRef name = feature.drop_while([](char c) { return c == '+' || c == '-'; });
    auto isIt = [&](const llvm::SubtargetFeatureKV &entry) { return name == entry.Key; };
    bool isSigned = feature.size() == name.size() + 1;
    if (!feature.empty() && (!isSigned || llvm::none_of(known->getAllProcessorFeatures(), isIt)))
      return "there is no feature '" + feature.str() + "' of " + target.triple +
             "; expected +NAME or -NAME, separated by commas";
  }
  return "";
}

std::unique_ptr<llvm::TargetMachine> lathe::createTargetMachine(const VectorTarget &target, unsigned optLevel,
                                                                std::string &error) {
  llvm::Triple triple = tripleOf(target);
  const llvm::Target *found = findTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  options.UseInitArray = true; // for instrumented objects; others have no initialisers
  auto level = optLevel <= 1 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_, std::nullopt, level));
}

void lathe::setTargetAttributes(llvm::Module &module, const VectorTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || function.hasFnAttribute("target-cpu"))
      continue;
    bool baseline = target.level > 0 && function.hasFnAttribute(kBaselineAttr);
    function.addFnAttr("target-cpu", baseline ? "x86-64" : target.cpu);
    if (!target.features.empty() && !baseline)
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(baseline ? 128 : target.vectorBytes * 8));
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.setUWTableKind(llvm::UWTableKind::Async);
  }
}

namespace {
/// LLVM's passes and analyses for a machine.
class Pipeline {
public:
  explicit Pipeline(llvm::TargetMachine &machine) : builder(&machine, tuning(), std::nullopt, analyses.skipping()) {
    // memcmp == 0 must not become bcmp, which objects may not call.
    llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
    library.setUnavailable(llvm::LibFunc_bcmp);
    analyses.functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
    analyses.registerAll(builder);
  }

  Analyses analyses;

private:
  static llvm::PipelineTuningOptions tuning() {
    llvm::PipelineTuningOptions options;
    options.LoopVectorization = options.SLPVectorization = options.LoopUnrolling = false;
    return options;
  }

  llvm::PassBuilder builder;
};
} // namespace

void lathe::inlineKernels(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  if (optLevel == 0)
    return;
  Pipeline pipeline(machine);
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::GlobalDCEPass()); // kernels without callers
  all.run(module, pipeline.analyses.modules);
}

/// Returns the number of steps of a loop from one constant to another, if its condition has that form.
static std::optional<uint64_t> stepsOf(const llvm::Loop &loop, const llvm::Instruction &condition) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&condition);
  auto *index = compare ? llvm::dyn_cast<llvm::PHINode>(compare->getOperand(0)) : nullptr;
  auto *end = compare ? llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1)) : nullptr;
  if (!index || !end || end->getBitWidth() > 64)
    return std::nullopt;
  for (const llvm::Use &use : index->incoming_values())
    if (auto *start = llvm::dyn_cast<llvm::ConstantInt>(use); start && !loop.contains(index->getIncomingBlock(use)))
      return std::max<int64_t>(end->getSExtValue() - start->getSExtValue(), 0);
  return std::nullopt;
}

/// True if a loop may have few steps, in few instructions together.
static bool mayBeShort(const llvm::Loop &loop) {
  constexpr uint64_t kMostInstructions = 600; // LLVM unrolls no more
  uint64_t size = 0;
  for (const llvm::BasicBlock *block : loop.blocks())
    size += block->size();
  return llvm::any_of(*loop.getHeader(), [&](const llvm::Instruction &instruction) {
    std::optional<uint64_t> steps = stepsOf(loop, instruction);
    return steps && size <= kMostInstructions && *steps <= kMostInstructions / size;
  });
}

using LoopMarks = llvm::SmallPtrSet<llvm::MDNode *, 16>;

/// Marks the loops that cannot be short as not to be unrolled, and adds the marks to `marks`: to find out how a loop counts
/// takes LLVM half as long as all other passes together. Loops in a short one may become short with it. Returns true if there
/// are any.
static bool markLongLoops(llvm::LoopInfo &info, LoopMarks &marks) {
  bool isAnyShort = false;
  llvm::SmallVector<llvm::Loop *> loops(info.begin(), info.end());
  while (!loops.empty()) {
    llvm::Loop *loop = loops.pop_back_val();
    if (mayBeShort(*loop)) {
      isAnyShort = true;
      continue;
    }
    if (!loop->getLoopID()) {
      loop->setLoopAlreadyUnrolled();
      marks.insert(loop->getLoopID());
    }
    llvm::append_range(loops, *loop);
  }
  return isAnyShort;
}

static void removeMarks(llvm::Function &function, const LoopMarks &marks) {
  for (llvm::BasicBlock &block : function)
    if (llvm::Instruction *end = block.getTerminator(); marks.contains(end->getMetadata(llvm::LLVMContext::MD_loop)))
      end->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
}

/// Unrolls loops of a few short steps, and simplifies what they become: the innermost loops over rows of a few elements, whose
/// conditions and addresses are then constant, and loops of one step in versions with inlined kernels. An elementwise kernel
/// over rows of two elements takes a third of the time. Code with products that are contracted stays as it is, so that each
/// version of a kernel rounds alike.
static void unrollShortLoops(llvm::Module &module, llvm::FunctionAnalysisManager &analyses) {
  auto unrolled = llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass());
  llvm::FunctionPassManager simplified;
  simplified.addPass(llvm::InstCombinePass());
  simplified.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  simplified.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module) {
    bool isJoined = function.hasFnAttribute(kHasKernelsAttr);
    if (function.isDeclaration() || (!isJoined && hasContractedProducts(function)))
      continue;
    LoopMarks marks;
    bool isAnyShort = isJoined || markLongLoops(analyses.getResult<llvm::LoopAnalysis>(function), marks);
    llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
    if (isAnyShort) {
      preserved = unrolled.run(function, analyses);
      analyses.invalidate(function, preserved);
    }
    removeMarks(function, marks);
    if (!preserved.areAllPreserved())
      simplified.run(function, analyses);
  }
}

void lathe::optimizeFunctions(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  if (optLevel == 0)
    return;
  Pipeline pipeline(machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG)); // closures of inlined kernels
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, pipeline.analyses.modules);
  unrollShortLoops(module, pipeline.analyses.functions);
  balanceDoublings(module);
  storeKnownLanes(module);
  readLanes(module);
}

bool lathe::writeCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly, llvm::raw_pwrite_stream &out) {
  llvm::legacy::PassManager passes;
  auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind))
    return false;
  passes.run(module);
  return true;
}

std::vector<std::string> lathe::strangeSymbols(llvm::StringRef object, Sanitizer sanitizer,
                                               llvm::ArrayRef<ExternFunction> externs) {
  std::vector<std::string> strangers;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {"(unreadable object)"};
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    bool allowed = *name == "memcpy" || *name == "memmove" || *name == "memset" || *name == "memcmp" || name->empty() ||
                   isSanitizerSymbol(*name, sanitizer) ||
                   llvm::any_of(externs, [&](const ExternFunction &function) { return *name == function.signature.symbol; });
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !allowed)
      strangers.push_back(name->str());
  }
  return strangers;
}
