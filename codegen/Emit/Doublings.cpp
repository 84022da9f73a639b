#include "codegen/Emit/Doublings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

static bool isSum(const llvm::Instruction &instruction) {
  return llvm::is_contained({llvm::Instruction::FAdd, llvm::Instruction::FSub}, instruction.getOpcode());
}

/// True for a sum of a vector of f32 or f64 with itself.
static bool isDoubling(const llvm::Instruction &instruction) {
  llvm::Type *element = instruction.getType()->getScalarType();
  return instruction.getOpcode() == llvm::Instruction::FAdd && instruction.getType()->isVectorTy() &&
         instruction.getOperand(0) == instruction.getOperand(1) && (element->isFloatTy() || element->isDoubleTy());
}

static void multiplyByTwo(llvm::Instruction &sum) {
  llvm::IRBuilder<> builder(&sum);
  llvm::Type *type = sum.getType();
  llvm::Value *two = builder.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {type}, {llvm::ConstantFP::get(type, 2.0)});
  sum.replaceAllUsesWith(builder.CreateFMul(sum.getOperand(0), two));
  sum.eraseFromParent();
}

static void balanceDoublings(llvm::BasicBlock &block) {
  int64_t more = 0; // sums than products
  llvm::SmallVector<llvm::Instruction *> doublings;
  for (llvm::Instruction &instruction : block) {
    if (isSum(instruction))
      ++more;
    if (instruction.getOpcode() == llvm::Instruction::FMul)
      --more;
    if (isDoubling(instruction))
      doublings.push_back(&instruction);
  }
  for (llvm::Instruction *doubling : doublings) {
    constexpr int64_t kMoved = 2; // a sum less, and a product more
    if (more < kMoved)
      return;
    multiplyByTwo(*doubling);
    more -= kMoved;
  }
}

void lathe::balanceDoublings(llvm::Module &module) {
  if (!module.getTargetTriple().isX86())
    return;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      ::balanceDoublings(block);
}
