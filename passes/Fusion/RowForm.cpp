#include "passes/Fusion/RowForm.h"
#include "passes/Fusion/Tuning.h"

using namespace mlir;
using namespace lathe;

/// Checks that all reductions are along the same dimensions of the same shape, including the last one.
bool RowForm::unifyReductions() {
  for (Operation *op : ops) {
    auto reduction = dyn_cast<ReductionOpInterface>(op);
    if (!reduction)
      continue;
    Dims shape = dimsOf(op->getOperand(0));
    SmallVector<int64_t> dims = reduction.getReducedDims();
    if (full.empty()) {
      full = shape;
      reduced = dims;
    }
    if (full != shape || reduced != dims)
      return false;
  }
  for (int64_t dim = 0; dim < int64_t(full.size()); ++dim)
    if (!llvm::is_contained(reduced, dim)) {
      kept.push_back(dim);
      rows.push_back(full[dim]);
    }
  // The elements of a row must be contiguous, since lanes run along them.
  return !reduced.empty() && reduced.front() == int64_t(kept.size());
}

/// True if there is only one row that may be long: threads could not share the loop over rows.
bool RowForm::leavesNoRows() const {
  std::optional<Dim> size = numElements(full);
  return rows.empty() && !(size && size->isStatic() && size->constant() <= tuning::kMostOfLoneRow);
}

/// True for a gather of one element of each row, by an index of the row.
bool RowForm::picksInRow(GatherOp gather) const {
  return isFull(gather.getTable()) && reduced.size() == 1 && int64_t(gather.getBatch()) == reduced[0] &&
         int64_t(gather.getAxis()) == reduced[0] && isPerRow(gather.getResult());
}

bool RowForm::reachesInside(Operation *remade) {
  if (auto known = reaching.find(remade); known != reaching.end())
    return known->second;
  return reaching[remade] = llvm::any_of(remade->getOperands(), [&](Value operand) {
           Operation *producer = operand.getDefiningOp();
           return producer &&
                  (ops.contains(producer) || ((isRemade(producer) || isa<ReshapeOp>(producer)) && reachesInside(producer)));
         });
}

/// True if `op` reads this loop's values only in its own row.
bool RowForm::reads(Operation *op, OpOperand &use) {
  Value operand = use.get();
  Operation *producer = operand.getDefiningOp();
  if (isInside(operand)) {
    if (auto gather = dyn_cast<GatherOp>(op))
      return use.getOperandNumber() == 0 ? picksInRow(gather) : isPerRow(operand) && isPerRow(gather.getResult());
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) // of a value that is also needed outside
      return isPerRow(operand) && isFull(op->getResult(0)) && ArrayRef<int64_t>(kept) == broadcast.getDims();
    return op->hasTrait<ElementwiseTrait>() || isa<ReductionOpInterface>(op);
  }
  if (!producer || !(isRemade(producer) || isa<ReshapeOp>(producer)) || !reachesInside(producer))
    return true; // in memory, or computed from memory
  auto broadcast = dyn_cast<BroadcastOp>(producer);
  return broadcast && (op->hasTrait<ElementwiseTrait>() || isa<ReductionOpInterface>(op)) && isInside(broadcast.getOperand()) &&
         isPerRow(broadcast.getOperand()) && isFull(operand) && ArrayRef<int64_t>(kept) == broadcast.getDims();
}

/// True if rows are so short that a function of each row's number costs more than the row. The kernel would compute it for one
/// row after another, where one of its own has a row in each lane.
bool RowForm::computesFunctionsOfShortRows() {
  std::optional<Dim> length = numElements(ArrayRef<Dim>(full).take_back(reduced.size()));
  if (!length || !length->isStatic() || length->constant() > tuning::kLongestShortRow)
    return false;
  return llvm::any_of(ops, [&](Operation *op) { return isPerRow(op->getResult(0)) && op->hasTrait<ElementaryTrait>(); });
}

StringRef RowForm::obstacle() {
  if (!llvm::any_of(ops, llvm::IsaPred<ReductionOpInterface>))
    return "it contains no row reduction";
  if (!unifyReductions())
    return "its reductions differ in shape or in their trailing dimensions";
  for (Operation *op : ops) {
    if (op->getNumResults() != 1 ||
        (!isa<ReductionOpInterface>(op) && !isFull(op->getResult(0)) && !isPerRow(op->getResult(0))))
      return "one of its values does not have the shape of the rows";
    for (OpOperand &operand : op->getOpOperands())
      if (!reads(op, operand))
        return "it reads from other rows";
  }
  if (computesFunctionsOfShortRows())
    return "rows are short, and functions of a number for each row are computed for several rows at once";
  return leavesNoRows() ? "it has only one row, so it could not run in parallel" : "";
}
