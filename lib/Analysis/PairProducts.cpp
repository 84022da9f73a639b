#include "lib/Analysis/PairProducts.h"
#include "dialects/Lathe/IR/Control.h"
#include "lib/Analysis/Widening.h"

using namespace mlir;
using namespace lathe;

/// Least columns: with fewer, rounding the left operand takes a large part of the time that pairs save.
static constexpr int64_t kLeastPairColumns = 16;

bool lathe::suitsPairs(DotGeneralOp op) {
  auto isSingle = [](Value value) { return getElementTypeOrSelf(value.getType()).isF32(); };
  Dims lhs = dimsOf(op.getLhs()), rhs = dimsOf(op.getRhs());
  bool isProduct = isSingle(op.getLhs()) && isSingle(op.getRhs()) && isSingle(op.getResult()) && op.getLhsBatch().empty() &&
                   lhs.size() >= 2 && op.getLhsContract() == ArrayRef<int64_t>(lhs.size() - 1) && rhs.size() == 2 &&
                   op.getRhsContract() == ArrayRef<int64_t>(0);
  return isProduct && rhs[0].isStatic() && rhs[1].isStatic() && suitsPairs(rhs[0].constant(), rhs[1].constant());
}

bool lathe::suitsPairs(int64_t depth, int64_t columns) {
  return depth > 0 && depth <= kMostPairDepth && columns >= kLeastPairColumns;
}

bool lathe::movesElements(Operation *op) { return isa_and_nonnull<ReshapeOp, TransposeOp>(op); }

bool lathe::isMovedConstant(Value value) {
  for (;;) {
    Operation *op = value.getDefiningOp();
    Value from = constOf(value);
    if (!from && !movesElements(op) && !isa_and_nonnull<ConvertOp>(op))
      return isa_and_nonnull<ConstantOp>(op);
    value = from ? from : op->getOperand(0);
  }
}

bool lathe::isPairProduct(Operation *op) {
  auto dot = dyn_cast<DotGeneralOp>(op);
  return dot && dot->hasAttr(kPairsAttr) && suitsPairs(dot);
}

bool lathe::readsNarrowImages(Operation *op) { return isa<ConvOp>(op) && op->hasAttr(kNarrowImagesAttr); }

Value lathe::narrowOperand(Value operand) {
  Value narrow = widenedTensor(operand);
  if (auto convert = operand.getDefiningOp<ConvertOp>(); convert && widens(convert))
    narrow = convert.getOperand();
  return narrow && getElementTypeOrSelf(narrow.getType()).isBF16() ? narrow : Value();
}

bool lathe::isForPairProducts(Operation *op) {
  if (op->hasAttr(kPatchesAttr))
    return !op->use_empty() && llvm::all_of(op->getUsers(), isForPairProducts);
  auto readsNarrow = [](Operation *user) { return isPairProduct(user) || readsNarrowImages(user); };
  return isa<ConvertOp>(op) && narrowOperand(op->getResult(0)) && !op->use_empty() && llvm::all_of(op->getUsers(), readsNarrow);
}

DotGeneralOp lathe::pairProductOf(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isPairProduct(&op))
      return cast<DotGeneralOp>(op);
  return {};
}
