#include "lib/Analysis/NaNs.h"
#include "lib/Analysis/Signs.h"

using namespace mlir;
using namespace lathe;

namespace {
/// The exponential of the differences from a maximum, and what is computed of it.
class ShiftedRows {
public:
  explicit ShiftedRows(ReduceOp largest) : largest(largest) {}

  /// True if the maximum has no other use.
  bool find() { return isShift(largest.getResult()) && exp; }
  /// True if all that is computed of the exponential is NaN in rows whose sum is.
  bool dependOnSums() {
    return llvm::all_of(exp->getUsers(), [&](Operation *user) {
      return isSum(user) || (isa<AddOp, SubOp, MulOp, DivOp>(user) && hasSum(user->getResult(0)));
    });
  }

private:
  bool isShift(Value value);
  bool isDifference(Operation *user);
  bool isSum(Operation *op) {
    auto sum = dyn_cast<ReduceOp>(op);
    return sum && sum.getKind() == ReduceKind::Sum && sum.getDims() == largest.getDims() && sum.getOperand() == exp.getResult();
  }
  bool hasSum(Value value);

  ReduceOp largest;
  ExpOp exp;
};
} // namespace

/// True if all users of the maximum, or of a number in its place where it is -inf, subtract it from its row.
bool ShiftedRows::isShift(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<CompareOp>(user))
      return llvm::all_of(user->getUsers(), [&](Operation *choice) {
        return isa<SelectOp>(choice) && aboveMinusInfinity(choice->getResult(0)) == value;
      });
    if (isa<SelectOp>(user))
      return aboveMinusInfinity(user->getResult(0)) == value && isShift(user->getResult(0));
    return isa<BroadcastOp>(user) && llvm::all_of(user->getUsers(), [&](Operation *each) { return isDifference(each); });
  });
}

/// True if the op subtracts the maximum from its row, and if nothing but the exponential reads the difference, in which
/// the sign of a zero would show.
bool ShiftedRows::isDifference(Operation *user) {
  auto difference = dyn_cast<SubOp>(user);
  if (!difference || difference.getLhs() != largest.getOperand() || !isNonpositive(difference) || !difference->hasOneUse())
    return false;
  auto next = dyn_cast<ExpOp>(*difference->user_begin());
  bool isOnly = next && (!exp || exp == next);
  exp = next;
  return isOnly;
}

/// True if a value is NaN wherever the sum of its row is.
bool ShiftedRows::hasSum(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isSum(op))
    return op;
  if (auto repeated = dyn_cast<BroadcastOp>(op))
    return restoresRows(repeated, largest) && hasSum(repeated.getOperand());
  return isa<AddOp, SubOp, MulOp, DivOp, NegOp, LogOp, ExpOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return hasSum(operand); });
}

bool lathe::mayIgnoreNaN(ReduceOp largest) {
  if (largest.getKind() != ReduceKind::Max || !isa<FloatType>(getElementTypeOrSelf(largest.getType())))
    return false;
  ShiftedRows rows(largest);
  return rows.find() && rows.dependOnSums();
}
