#include "codegen/Emit/SingleLaneStores.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

/// Returns the lanes of a constant mask that are set, or nullopt for another mask.
static std::optional<llvm::SmallVector<unsigned>> lanesOf(llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  llvm::SmallVector<unsigned> lanes;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto *element = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!element)
      return std::nullopt;
    if (element->isOne())
      lanes.push_back(lane);
  }
  return lanes;
}

static void storeSingleLane(llvm::IntrinsicInst *store) {
  llvm::Value *value = store->getArgOperand(0), *address = store->getArgOperand(1);
  auto lanes = lanesOf(store->getArgOperand(store->arg_size() - 1));
  if (!lanes || lanes->size() > 1)
    return;
  if (!lanes->empty()) {
    llvm::IRBuilder<> builder(store);
    llvm::Type *element = value->getType()->getScalarType();
    llvm::Value *at = builder.CreateConstGEP1_64(element, address, lanes->front());
    builder.CreateAlignedStore(builder.CreateExtractElement(value, lanes->front()), at,
                               llvm::Align(element->getScalarSizeInBits() / 8));
  }
  store->eraseFromParent();
}

void lathe::storeSingleLanes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_store)
        storeSingleLane(intrinsic);
}
