#include "codegen/Schedules/KernelStructure.h"
#include "codegen/Schedules/Panels.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/SkippedKeys.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace lathe;

/// True for attributes that a kernel's code does not depend on.
static bool isOutsideOfCode(StringRef attribute) {
  return llvm::is_contained(
      {StringRef(kBuffersAttr), StringRef(kHeroAttr), StringRef(kFusedAttr), StringRef(kCopyForAttr), StringRef("schedules")},
      attribute);
}

/// Returns the attributes of an op on which code depends.
static DictionaryAttr attributesOf(Operation &op) {
  if (!isa<KernelOp>(op))
    return op.getAttrDictionary();
  SmallVector<NamedAttribute> kept;
  llvm::copy_if(op.getAttrs(), std::back_inserter(kept),
                [](NamedAttribute attribute) { return !isOutsideOfCode(attribute.getName().getValue()); });
  return DictionaryAttr::get(op.getContext(), kept);
}

/// Prints the ops of a block; values number from zero. Of ops with regions only strips and their kernels print these.
static void printBody(Block &body, llvm::raw_ostream &out) {
  for (Operation &op : body) {
    out << op.getName() << ' ' << attributesOf(op) << " : ";
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
    if (isa<StripsOp, KernelOp>(op))
      printBody(op.getRegion(0).front(), out);
  }
  llvm::interleaveComma(body.getArgumentTypes(), out);
}

static std::string bodyOf(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printBody(kernel.getBody().front(), out);
  return text;
}

/// True for attributes that only a GPU's code depends on.
static bool isOnlyForGpu(StringRef attribute) {
  return llvm::is_contained({StringRef(kUnalignedAttr), StringRef(kInPlaceAttr), StringRef(kPredicatesAttr)}, attribute);
}

std::string lathe::structureOf(KernelOp kernel, MachineKind machine) {
  std::string text = bodyOf(kernel);
  llvm::raw_string_ostream out(text);
  for (NamedAttribute attribute : kernel->getAttrDictionary())
    if (StringRef name = attribute.getName().getValue();
        !isOutsideOfCode(name) && (machine == MachineKind::GPU || !isOnlyForGpu(name)))
      out << ' ' << attribute.getName().getValue() << " = " << attribute.getValue();
  return text;
}

/// Returns an op's name in profiles; ops that are the identity by now are copies.
static StringRef profileNameOf(Operation &op) { return isa<StopGradientOp>(op) ? "copy" : op.getName().getStringRef(); }

void lathe::nameForProfiles(KernelOp kernel) {
  if (sourcePlace(kernel.getLoc()).line == 0)
    kernel->setLoc(kernel->getParentOfType<func::FuncOp>().getLoc());
  Block &body = kernel.getBody().front();
  Operation *hero = nullptr;
  for (Operation &op : body.without_terminator())
    if (!hero || op.hasTrait<HeroTrait>() || (!hero->hasTrait<HeroTrait>() && !isa<StopGradientOp>(op)))
      hero = &op;
  std::string fused;
  auto add = [&](Operation &op) {
    if (&op != hero && !isa<ScratchOp>(op))
      fused += (fused.empty() ? "" : " ") + profileNameOf(op).str();
  };
  for (Operation &op : body.without_terminator()) {
    add(op);
    if (auto strips = dyn_cast<StripsOp>(op))
      for (KernelOp inner : strips.getBody().getOps<KernelOp>())
        llvm::for_each(inner.getBody().front().without_terminator(), add);
  }
  Builder builder(kernel.getContext());
  std::string name = profileNameOf(*hero).str();
  if (auto wanting = kernel->getAttrOfType<StringAttr>(kCopyForAttr))
    name += " for " + wanting.getValue().str();
  kernel->setAttr(kHeroAttr, builder.getStringAttr(name));
  kernel->setAttr(kFusedAttr, builder.getStringAttr(fused));
}

std::string lathe::codeNameOf(KernelOp kernel, MachineKind machine) {
  std::string text = bodyOf(kernel);
  llvm::raw_string_ostream out(text);
  out << (kernel->hasAttr(kRowsAttr) ? " over rows" : kernel->hasAttr(kItemsAttr) ? " over items" : "");
  if (machine == MachineKind::GPU) {
    out << (kernel->hasAttr(kUnalignedAttr) ? " unaligned" : "");
    out << (kernel->hasAttr(kInPlaceAttr) ? " in place" : "");
    if (Attribute predicates = kernel->getAttr(kPredicatesAttr))
      out << " predicates " << predicates;
  }
  for (StringRef attribute : {StringRef(kSizedUnitsAttr), StringRef(kPanelsAttr), StringRef(kSkipsAttr)})
    if (Attribute value = kernel->getAttr(attribute))
      out << ' ' << value;
  StringRef hero = kernel->getAttrOfType<StringAttr>(kHeroAttr).getValue().split(' ').first;
  hero.consume_front("lathe.");
  return "kernel_" + hero.str() + "_" + llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
}
