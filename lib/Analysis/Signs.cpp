#include "lib/Analysis/Signs.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;

/// Returns the number of which all elements of a constant are copies.
static std::optional<APFloat> splatOf(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

/// Returns the value that another has wherever it is above -inf: m for select(m == -inf, number, m), otherwise the value
/// itself.
static Value aboveMinusInfinity(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  auto compare = select ? select.getPredicate().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare.getKind() != CompareKind::EQ || compare.getLhs() != select.getOnFalse())
    return value;
  std::optional<APFloat> limit = splatOf(compare.getRhs()), instead = splatOf(select.getOnTrue());
  bool isOnlyThere = limit && limit->isInfinity() && limit->isNegative() && instead && instead->isFinite();
  return isOnlyThere ? select.getOnFalse() : value;
}

bool lathe::isNonpositive(Value value) {
  auto difference = value.getDefiningOp<SubOp>();
  auto repeated = difference ? difference.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  auto largest = repeated ? aboveMinusInfinity(repeated.getOperand()).getDefiningOp<ReduceOp>() : ReduceOp();
  if (!largest || largest.getKind() != ReduceKind::Max || largest.getOperand() != difference.getLhs())
    return false;
  // Each element must meet the maximum of its own row: the broadcast restores the dimensions that were reduced.
  SmallVector<int64_t> kept;
  int64_t rank = cast<RankedTensorType>(largest.getOperand().getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(largest.getDims(), dim))
      kept.push_back(dim);
  return isa<FloatType>(getElementTypeOrSelf(value.getType())) && repeated.getDims() == ArrayRef(kept);
}
