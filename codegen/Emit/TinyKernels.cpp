#include "codegen/Emit/TinyKernels.h"
#include "dialects/Lathe/IR/Control.h"
#include "llvm/IR/InstIterator.h"

using namespace lathe;

bool lathe::hasContractedProducts(const llvm::Function &code) {
  return llvm::any_of(llvm::instructions(code), [](const llvm::Instruction &instruction) {
    return instruction.getOpcode() == llvm::Instruction::FMul && instruction.hasAllowContract();
  });
}

bool lathe::isTinyInLoop(KernelOp kernel, const KernelSymbol &symbol, const llvm::Function &code) {
  constexpr int64_t kElements = 16;
  constexpr unsigned kInstructions = 100;
  if (!kernel->getParentOfType<ScanOp>() && !kernel->getParentOfType<WhileOp>())
    return false;
  return symbol.work.isStatic() && symbol.work.constant() <= kElements && code.getInstructionCount() <= kInstructions &&
         !hasContractedProducts(code);
}
