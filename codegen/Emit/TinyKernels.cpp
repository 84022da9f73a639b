#include "codegen/Emit/TinyKernels.h"
#include "dialects/Lathe/IR/Control.h"
#include "llvm/IR/InstIterator.h"

using namespace lathe;

/// A product that the back end joins with its sum where that is its only use. Beside the code of other kernels it may be found
/// to be one of theirs, and would be rounded.
static bool isContractedProduct(const llvm::Instruction &instruction) {
  return instruction.getOpcode() == llvm::Instruction::FMul && instruction.hasAllowContract();
}

bool lathe::isTinyInLoop(KernelOp kernel, const KernelSymbol &symbol, const llvm::Function &code) {
  constexpr int64_t kElements = 16;
  constexpr unsigned kInstructions = 100;
  if (!kernel->getParentOfType<ScanOp>() && !kernel->getParentOfType<WhileOp>())
    return false;
  return symbol.work.isStatic() && symbol.work.constant() <= kElements && code.getInstructionCount() <= kInstructions &&
         llvm::none_of(llvm::instructions(code), isContractedProduct);
}
