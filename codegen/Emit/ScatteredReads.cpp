#include "codegen/Emit/ScatteredReads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

static constexpr unsigned kLeastLanes = 8;

/// Returns the indices that a mask bounds, where it has all lanes, by 0 and by a signed number; null for another mask.
static llvm::Value *boundedBy(llvm::Value *mask) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(mask);
  if (!compare || compare->getPredicate() != llvm::ICmpInst::ICMP_ULT)
    return nullptr;
  auto *end = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::getSplatValue(compare->getOperand(1)));
  return end && !end->isNegative() ? compare->getOperand(0) : nullptr;
}

/// Returns the vectors that are loaded in the block of `at` and are still what memory has there.
static llvm::SmallPtrSet<llvm::Value *, 4> inMemory(llvm::Instruction *at) {
  llvm::SmallPtrSet<llvm::Value *, 4> loads;
  for (llvm::Instruction &before : llvm::make_range(at->getParent()->begin(), at->getIterator())) {
    if (before.mayWriteToMemory())
      loads.clear();
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&before); load && load->isSimple())
      loads.insert(load);
  }
  return loads;
}

namespace {
/// Loads the lanes of a gather whose addresses are indices from one base.
class LaneLoads {
public:
  LaneLoads(llvm::IntrinsicInst *gather, llvm::GetElementPtrInst *places, llvm::Value *bounded)
      : gather(gather), places(places), bounded(bounded), loaded(inMemory(gather)), builder(gather) {}

  /// Emits the loads before an instruction.
  llvm::Value *emit(llvm::Instruction *before) {
    builder.SetInsertPoint(before);
    builder.SetCurrentDebugLocation(gather->getDebugLoc());
    auto *type = llvm::cast<llvm::FixedVectorType>(gather->getType());
    llvm::Value *lanes = llvm::PoisonValue::get(type);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      llvm::Value *address =
          addressOf(places->getSourceElementType(), places->getPointerOperand(), places->getOperand(1), lane);
      llvm::Align alignment = gather->getParamAlign(0).valueOrOne();
      lanes = builder.CreateInsertElement(lanes, builder.CreateAlignedLoad(type->getElementType(), address, alignment), lane);
    }
    return lanes;
  }

private:
  /// Returns a lane of a vector of integers. Sums, products and extensions are computed of the operands' lanes, so that a lane
  /// is taken out of the narrowest vector. A bounded index is not negative, so that its extension
  /// costs nothing, and an index that was loaded is read from memory again.
  llvm::Value *laneOf(llvm::Value *vector, unsigned lane) {
    if (llvm::Value *splat = llvm::getSplatValue(vector))
      return splat;
    if (auto *cast = llvm::dyn_cast<llvm::CastInst>(vector); cast && cast->isIntegerCast()) {
      llvm::Value *from = cast->getOperand(0);
      bool isZero = from == bounded && cast->getOpcode() == llvm::Instruction::SExt;
      return builder.CreateCast(isZero ? llvm::Instruction::ZExt : cast->getOpcode(), laneOf(from, lane),
                                cast->getType()->getScalarType());
    }
    if (auto *op = llvm::dyn_cast<llvm::BinaryOperator>(vector);
        op && llvm::is_contained({llvm::Instruction::Add, llvm::Instruction::Mul}, op->getOpcode()))
      return builder.CreateBinOp(op->getOpcode(), laneOf(op->getOperand(0), lane), laneOf(op->getOperand(1), lane));
    if (loaded.contains(vector) && vector->getType()->getScalarSizeInBits() % 8 == 0) {
      llvm::Type *element = vector->getType()->getScalarType();
      llvm::Value *place = builder.CreateConstGEP1_64(element, llvm::cast<llvm::LoadInst>(vector)->getPointerOperand(), lane);
      return builder.CreateAlignedLoad(element, place, llvm::Align(element->getScalarSizeInBits() / 8));
    }
    return builder.CreateExtractElement(vector, lane);
  }

  /// Returns the address of a lane's element. The terms of an index are added one by one, so that lanes share the first sums.
  llvm::Value *addressOf(llvm::Type *element, llvm::Value *base, llvm::Value *index, unsigned lane) {
    auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
    if (!sum || sum->getOpcode() != llvm::Instruction::Add)
      return builder.CreateGEP(element, base, laneOf(index, lane));
    return addressOf(element, addressOf(element, base, sum->getOperand(0), lane), sum->getOperand(1), lane);
  }

  llvm::IntrinsicInst *gather;
  llvm::GetElementPtrInst *places;
  llvm::Value *bounded; // null if there is none
  llvm::SmallPtrSet<llvm::Value *, 4> loaded;
  llvm::IRBuilder<> builder;
};
} // namespace

static void readLanes(llvm::IntrinsicInst *gather) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(gather->getType());
  auto *places = llvm::dyn_cast<llvm::GetElementPtrInst>(gather->getArgOperand(0));
  if (!type || type->getNumElements() < kLeastLanes || !places || places->getNumIndices() != 1 ||
      places->getPointerOperandType()->isVectorTy())
    return;
  llvm::Value *mask = gather->getArgOperand(1);
  LaneLoads loads(gather, places, boundedBy(mask));
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(mask)) {
    if (!constant->isAllOnesValue())
      return;
    gather->replaceAllUsesWith(loads.emit(gather));
    gather->eraseFromParent();
    return;
  }
  llvm::Instruction *whole = nullptr, *part = nullptr;
  llvm::MDNode *likely = llvm::MDBuilder(gather->getContext()).createLikelyBranchWeights();
  llvm::Value *hasAll = llvm::IRBuilder<>(gather).CreateAndReduce(mask);
  llvm::SplitBlockAndInsertIfThenElse(hasAll, gather, &whole, &part, likely);
  llvm::PHINode *lanes = llvm::PHINode::Create(type, 2, "", gather->getIterator());
  lanes->setDebugLoc(gather->getDebugLoc());
  gather->replaceAllUsesWith(lanes);
  gather->moveBefore(part->getIterator());
  lanes->addIncoming(loads.emit(whole), whole->getParent());
  lanes->addIncoming(gather, part->getParent());
}

void lathe::readLanes(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::IntrinsicInst *> gathers;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_gather)
        gathers.push_back(intrinsic);
    llvm::for_each(gathers, ::readLanes);
  }
}
