#include "codegen/Emit/TinyKernels.h"
#include "dialects/Lathe/IR/Control.h"
#include "llvm/IR/InstIterator.h"

using namespace lathe;

/// True for a product that the back end contracts with its sum, if that is its only use. Next to other inlined kernels it might
/// be merged with an equal product and then be rounded.
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
