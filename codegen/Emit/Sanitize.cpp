#include "codegen/Emit/Sanitize.h"
#include "codegen/Emit/Analyses.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

using namespace lathe;

namespace {

/// Reports the accesses that ThreadSanitizer's pass omits: vectors over 16 bytes, and masked ones. Kernels mask the lanes past
/// an end, so that the active lanes come first.
class WideAccesses {
public:
  explicit WideAccesses(llvm::Module &module) : layout(module.getDataLayout()) {
    auto *type = llvm::FunctionType::get(
        llvm::Type::getVoidTy(module.getContext()),
        {llvm::PointerType::get(module.getContext(), 0), llvm::Type::getInt64Ty(module.getContext())}, false);
    read = module.getOrInsertFunction("__tsan_read_range", type);
    write = module.getOrInsertFunction("__tsan_write_range", type);
  }

  void run(llvm::Function &function) {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      visit(instruction);
  }

private:
  void visit(llvm::Instruction &instruction) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return reportWhole(load, load->getPointerOperand(), load->getType(), read);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return reportWhole(store, store->getPointerOperand(), store->getValueOperand()->getType(), write);
    auto *masked = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!masked)
      return;
    if (masked->getIntrinsicID() == llvm::Intrinsic::masked_load)
      reportMasked(masked, masked->getArgOperand(0), masked->getArgOperand(1), masked->getType(), read);
    else if (masked->getIntrinsicID() == llvm::Intrinsic::masked_store)
      reportMasked(masked, masked->getArgOperand(1), masked->getArgOperand(2), masked->getArgOperand(0)->getType(), write);
  }

  void reportWhole(llvm::Instruction *access, llvm::Value *pointer, llvm::Type *type, llvm::FunctionCallee report) {
    uint64_t size = layout.getTypeStoreSize(type);
    if (size <= 16)
      return;
    llvm::IRBuilder<> builder(access);
    builder.CreateCall(report, {pointer, builder.getInt64(size)});
  }

  void reportMasked(llvm::Instruction *access, llvm::Value *pointer, llvm::Value *mask, llvm::Type *type,
                    llvm::FunctionCallee report) {
    llvm::IRBuilder<> builder(access);
    unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
    llvm::Value *bits = builder.CreateBitCast(mask, builder.getIntNTy(lanes));
    llvm::Value *count = builder.CreateZExtOrTrunc(
        builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, builder.CreateZExt(bits, builder.getInt64Ty())),
        builder.getInt64Ty());
    builder.CreateCall(report,
                       {pointer, builder.CreateMul(count, builder.getInt64(layout.getTypeStoreSize(type->getScalarType())))});
  }

  const llvm::DataLayout &layout;
  llvm::FunctionCallee read, write;
};
} // namespace

static bool isInstrumented(const llvm::Function &function) {
  return !function.isDeclaration() && !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

static llvm::ModulePassManager passesOf(Sanitizer sanitizer) {
  llvm::ModulePassManager passes;
  if (sanitizer == Sanitizer::Address) {
    llvm::AddressSanitizerOptions options;
    options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never; // no address of a local outlives its function
    passes.addPass(
        llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false)); // one table instead of a group of sections per constant
  } else {
    passes.addPass(llvm::ModuleThreadSanitizerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
  return passes;
}

void lathe::instrument(llvm::Module &module, llvm::TargetMachine &machine, Sanitizer sanitizer) {
  auto attribute = sanitizer == Sanitizer::Address ? llvm::Attribute::SanitizeAddress : llvm::Attribute::SanitizeThread;
  for (llvm::Function &function : module)
    if (isInstrumented(function))
      function.addFnAttr(attribute);
  if (sanitizer == Sanitizer::Thread)
    for (llvm::Function &function : module)
      if (isInstrumented(function))
        WideAccesses(module).run(function);

  Analyses analyses;
  llvm::PassBuilder builder(&machine);
  analyses.registerAll(builder);
  passesOf(sanitizer).run(module, analyses.modules);
}

bool lathe::isSanitizerSymbol(llvm::StringRef name, Sanitizer sanitizer) {
  return (sanitizer == Sanitizer::Address && name.starts_with("__asan_")) ||
         (sanitizer == Sanitizer::Thread && name.starts_with("__tsan_"));
}
