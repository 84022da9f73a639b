#include "codegen/Emit/ModuleParts.h"
#include "lib/Support/StringStream.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace lathe;

/// Instructions of a part that take much longer to compile than another object to join, some 30 ms.
static constexpr unsigned kPartInstructions = 10000;
/// Most parts. More would help machines with more cores only, and each costs a copy of all declarations.
static constexpr unsigned kMostParts = 16;
/// Most bytes of a constant that all parts know, for passes that read its elements.
static constexpr unsigned kKnownBytes = 256;

unsigned lathe::countParts(const llvm::Module &module) {
  return std::clamp(unsigned(module.getInstructionCount() / kPartInstructions), 1u, kMostParts);
}

using PartOf = llvm::DenseMap<const llvm::GlobalValue *, unsigned>;

/// Gives each function, the largest first, to the part with the fewest instructions.
static PartOf assignFunctions(const llvm::Module &module, unsigned count) {
  std::vector<const llvm::Function *> functions;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  llvm::stable_sort(functions, [](auto *a, auto *b) { return a->getInstructionCount() > b->getInstructionCount(); });
  std::vector<uint64_t> sizes(count);
  PartOf parts;
  for (const llvm::Function *function : functions) {
    unsigned least = llvm::min_element(sizes) - sizes.begin();
    parts[function] = least;
    sizes[least] += function->getInstructionCount();
  }
  return parts;
}

/// Makes a local symbol visible to the other parts of its object.
static void share(llvm::GlobalValue &value) {
  if (!value.hasLocalLinkage())
    return;
  if (!value.hasName())
    value.setName("local");
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

/// Lets a part that only declares small constants know their elements.
static void copySmallConstants(llvm::Module &module, const llvm::ValueToValueMapTy &copies) {
  for (llvm::GlobalVariable &global : module.globals()) {
    auto *copy = llvm::cast<llvm::GlobalVariable>(copies.lookup(&global));
    if (!copy->isDeclaration() || copy->use_empty() || !global.isConstant() || !global.hasInitializer())
      continue;
    llvm::Constant *value = global.getInitializer();
    bool isSmall = module.getDataLayout().getTypeAllocSize(value->getType()) <= kKnownBytes;
    if (!isSmall || !llvm::isa<llvm::ConstantData>(value))
      continue;
    copy->setInitializer(value);
    copy->setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
  }
}

static void removeUnused(llvm::Module &part) {
  for (llvm::GlobalVariable &global : llvm::make_early_inc_range(part.globals()))
    if (global.isDeclaration() && global.use_empty())
      global.eraseFromParent();
  for (llvm::Function &function : llvm::make_early_inc_range(part))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
}

std::vector<std::string> lathe::divideModule(llvm::Module &module, unsigned count) {
  for (llvm::GlobalValue &value : module.global_values())
    share(value);
  PartOf parts = assignFunctions(module, count);
  std::vector<std::string> others(count - 1);
  for (unsigned number = 1; number < count; ++number) {
    llvm::ValueToValueMapTy copies;
    auto isHere = [&](const llvm::GlobalValue *value) { return parts.lookup(value) == number; }; // variables are in part 0
    std::unique_ptr<llvm::Module> part = llvm::CloneModule(module, copies, isHere);
    copySmallConstants(module, copies);
    removeUnused(*part);
    StringStream out(others[number - 1]);
    llvm::WriteBitcodeToFile(*part, out);
  }
  for (llvm::Function &function : module)
    if (parts.lookup(&function))
      function.deleteBody();
  removeUnused(module);
  return others;
}
