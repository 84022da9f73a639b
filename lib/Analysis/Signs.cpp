#include "lib/Analysis/Signs.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;

/// Returns the number of which all elements of a constant are copies.
static std::optional<APFloat> splatOf(Value value) {
  DenseFPElementsAttr elements;
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getOperand();
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

Value lathe::aboveMinusInfinity(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  auto compare = select ? select.getPredicate().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare.getKind() != CompareKind::EQ || compare.getLhs() != select.getOnFalse())
    return value;
  std::optional<APFloat> limit = splatOf(compare.getRhs()), instead = splatOf(select.getOnTrue());
  bool isOnlyThere = limit && limit->isInfinity() && limit->isNegative() && instead && instead->isFinite();
  return isOnlyThere ? select.getOnFalse() : value;
}

/// Returns the maximum of elements that a value is at least: the value itself, or an operand of its maximum. Returns null if
/// there is none.
static ReduceOp largestBelow(Value value) {
  if (auto either = value.getDefiningOp<MaxOp>())
    for (Value operand : either->getOperands())
      if (auto largest = operand.getDefiningOp<ReduceOp>(); largest && largest.getKind() == ReduceKind::Max)
        return largest;
  return value.getDefiningOp<ReduceOp>();
}

bool lathe::restoresRows(BroadcastOp repeated, ReduceOp reduced) {
  SmallVector<int64_t> kept;
  int64_t rank = cast<RankedTensorType>(reduced.getOperand().getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(reduced.getDims(), dim))
      kept.push_back(dim);
  return repeated.getDims() == ArrayRef(kept);
}

bool lathe::isNonpositive(Value value) {
  auto difference = value.getDefiningOp<SubOp>();
  auto repeated = difference ? difference.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  ReduceOp largest = repeated ? largestBelow(aboveMinusInfinity(repeated.getOperand())) : ReduceOp();
  if (!largest || largest.getKind() != ReduceKind::Max || largest.getOperand() != difference.getLhs())
    return false;
  // Each element must meet the maximum of its own row.
  return isa<FloatType>(getElementTypeOrSelf(value.getType())) && restoresRows(repeated, largest);
}
