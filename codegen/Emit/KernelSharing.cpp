#include "codegen/Emit/KernelSharing.h"
#include "codegen/GPU/KernelEmitter.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Vectors.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Support/Explain.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace lathe;

/// What makes two kernels the same code: their text without names of values and places in the source.
static std::string structureOf(KernelOp kernel) {
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
  out << (kernel->hasAttr(gpu::kUnalignedAttr) ? " unaligned" : "");
  out << (kernel->hasAttr(gpu::kInPlaceAttr) ? " in place" : "");
  if (Attribute predicates = kernel->getAttr(gpu::kPredicatesAttr))
    out << " predicates " << predicates;
  if (Attribute units = kernel->getAttr(kSizedUnitsAttr))
    out << ' ' << units;
  copy->erase();
  return text;
}

/// An op as profiles name it; what is the identity by now is a copy.
static StringRef nameOf(Operation &op) { return isa<StopGradientOp>(op) ? "copy" : op.getName().getStringRef(); }

/// The op that names the kernel in profiles, and the others. What folding made has no place in the graph: its function's stands
/// for it.
static void annotate(KernelOp kernel) {
  if (sourcePlace(kernel.getLoc()).line == 0)
    kernel->setLoc(kernel->getParentOfType<func::FuncOp>().getLoc());
  auto isMain = [](Operation &op) {
    return isa<ReduceOp, ArgmaxOp, ArgminOp, DotGeneralOp, ConvOp, ConvInputGradOp, ConvFilterGradOp, ReduceWindowOp,
               WindowIndexOp, WindowGatherOp, WindowScatterOp>(op) ||
           op.hasTrait<OwnKernelTrait>();
  };
  Block &body = kernel.getBody().front();
  Operation *hero = nullptr;
  for (Operation &op : body.without_terminator())
    if (!hero || isMain(op) || (!isMain(*hero) && !isa<StopGradientOp>(op)))
      hero = &op;
  std::string fused;
  for (Operation &op : body.without_terminator())
    if (&op != hero && !isa<ScratchOp>(op))
      fused += (fused.empty() ? "" : " ") + nameOf(op).str();
  Builder builder(kernel.getContext());
  std::string name = nameOf(*hero).str();
  if (auto wanting = kernel->getAttrOfType<StringAttr>(kCopyForAttr))
    name += " for " + wanting.getValue().str();
  kernel->setAttr("lathe.hero", builder.getStringAttr(name));
  kernel->setAttr("lathe.fused", builder.getStringAttr(fused));
}

bool KernelSharing::isExported(func::FuncOp function) const {
  StringRef name = function.getSymName();
  if (auto base = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr))
    name = base.getValue();
  return llvm::any_of(signature.functions, [&](const Signature &entry) { return entry.name == name; });
}

LogicalResult KernelSharing::emitKernels() {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isExported(function))
      continue;
    SmallVector<KernelOp> inside;
    function.walk([&](KernelOp kernel) { inside.push_back(kernel); });
    for (KernelOp kernel : inside)
      if (failed(emitKernel(kernel)))
        return failure();
    calls += inside.size();
  }
  return success();
}

LogicalResult KernelSharing::emitKernel(KernelOp kernel) {
  annotate(kernel);
  if (ExternOp op = externOf(kernel)) {
    kernels[kernel] = {op.getCallee().str(), {}};
    explain(kernel.getLoc(), "kernels", "the application provides {}: one call on the calling thread", op.getCallee().str());
    return success();
  }
  if (Operation *report = reportOf(kernel)) {
    kernels[kernel] = {report->getName().stripDialect().str(), {}};
    return success();
  }
  prepare(kernel);
  std::string structure = structureOf(kernel);
  auto it = known.find(structure);
  if (it == known.end()) {
    StringRef hero = kernel->getAttrOfType<StringAttr>("lathe.hero").getValue().split(' ').first;
    hero.consume_front("lathe.");
    std::string name = "kernel_" + hero.str() + "_" + llvm::utohexstr(llvm::xxh3_64bits(structure), /*LowerCase=*/true);
    FailureOr<KernelSymbol> symbol = emitDistinct(kernel, name);
    if (failed(symbol))
      return failure();
    it = known.emplace(structure, std::move(*symbol)).first;
  } else
    explain(kernel.getLoc(), "kernels", "shares the code of {}", it->second.name);
  kernels[kernel] = it->second;
  return success();
}
