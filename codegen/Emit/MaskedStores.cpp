#include "codegen/Emit/MaskedStores.h"
#include "llvm/ADT/Sequence.h"
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

/// True if the function's target stores under a mask as fast as without. AVX's stores under a mask take tens of cycles on some
/// CPUs, and others have none.
static bool masksAreCheap(const llvm::Function &function) {
  return function.getFnAttribute("target-cpu").getValueAsString() == "x86-64-v4" ||
         function.getFnAttribute("target-features").getValueAsString().contains("+avx512vl");
}

/// Stores lanes [first, first + count) of a vector.
static void storeLanes(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Value *address, unsigned first, unsigned count) {
  llvm::Type *element = value->getType()->getScalarType();
  llvm::Value *at = builder.CreateConstGEP1_64(element, address, first), *part;
  if (count == 1)
    part = builder.CreateExtractElement(value, first);
  else
    part = builder.CreateShuffleVector(value, llvm::to_vector(llvm::seq<int>(first, first + count)));
  builder.CreateAlignedStore(part, at, llvm::Align(std::max(1u, element->getScalarSizeInBits() / 8)));
}

static void storeKnownLanes(llvm::IntrinsicInst *store) {
  auto lanes = lanesOf(store->getArgOperand(store->arg_size() - 1));
  bool isFirst = lanes && !lanes->empty() && lanes->back() + 1 == lanes->size();
  bool isCheap = masksAreCheap(*store->getFunction());
  if (!lanes || (lanes->size() > 1 && (!isFirst || (isCheap && !llvm::isPowerOf2_64(lanes->size())))))
    return;
  llvm::IRBuilder<> builder(store);
  unsigned left = lanes->size(), first = left == 0 ? 0 : lanes->front();
  while (left > 0) {
    unsigned count = llvm::bit_floor(left);
    storeLanes(builder, store->getArgOperand(0), store->getArgOperand(1), first, count);
    first += count;
    left -= count;
  }
  store->eraseFromParent();
}

void lathe::storeKnownLanes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_store)
        ::storeKnownLanes(intrinsic);
}
