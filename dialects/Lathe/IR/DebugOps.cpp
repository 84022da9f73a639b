#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lathe;

/// Checks (C1) of asserts and prints.
static LogicalResult checkPlace(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
    if (auto loop = dyn_cast_or_null<WhileOp>(region->getParentOp()); loop && region == &loop.getCondition())
      return op->emitOpError("is in the condition of a lathe.while, which may be evaluated more often than the loop has steps; "
                             "move it into the body");
  return success();
}

LogicalResult AssertOp::verify() { return checkPlace(*this); }

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  auto constant = op.getPredicate().getDefiningOp<ConstantOp>();
  auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!values || !llvm::all_of(values.getValues<bool>(), [](bool holds) { return holds; }))
    return rewriter.notifyMatchFailure(op, "may fail");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult PrintOp::verify() {
  if (failed(checkPlace(*this)))
    return failure();
  if (!getMask())
    return success();
  Dims value = dimsOf(getValue()), mask = dimsOf(getMask());
  bool fits = mask.size() <= value.size() && llvm::all_of(llvm::zip_first(mask, value), [](auto pair) {
                return mayEqual(std::get<0>(pair), std::get<1>(pair));
              });
  if (!fits)
    return emitOpError("'where' has the shape ")
           << str(mask) << ", expected the leading dimensions of the value's shape " << str(value);
  return success();
}

LogicalResult CheckOp::verify() {
  Type element = getElementTypeOrSelf(getValue().getType());
  if (getKind() == CheckKind::Finite) {
    if (!isa<FloatType>(element) || getBelow())
      return emitOpError("'finite' needs a floating-point tensor and no 'below', got ") << getValue().getType();
    return success();
  }
  if (!(element.isSignlessInteger(32) || element.isSignlessInteger(64)) || !getBelow() || getBelow()->getDims().size() != 1 ||
      !getSources().empty())
    return emitOpError("'inside' needs an i32 or i64 tensor and exactly one dimension in 'below', got ")
           << getValue().getType();
  return success();
}
