// Canonical forms without dimensions of extent 1 from a reshape. A reduction that keeps its dimensions, as NumPy calls it, is a
// reshape of one that does not. Ops on its result move before the reshape, and a broadcast absorbs the reshape.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Powers.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lathe;

/// Returns the positions of the operand's dimensions in the result of a reshape that only inserts dimensions of extent 1.
static std::optional<SmallVector<int64_t>> placesOf(ReshapeOp reshape) {
  if (!reshape || reshape.getChecked())
    return std::nullopt;
  Dims from = dimsOf(reshape.getOperand()), to = dimsOf(reshape.getResult());
  SmallVector<int64_t> places;
  for (auto [i, dim] : llvm::enumerate(to))
    if (places.size() < from.size() && from[places.size()] == dim && !dim.isUnknown())
      places.push_back(i);
    else if (!dim.isStatic(1))
      return std::nullopt;
  if (places.size() != from.size() || from.size() == to.size())
    return std::nullopt;
  return places;
}

namespace {
struct BroadcastOfUnits : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const final {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    std::optional<SmallVector<int64_t>> places = placesOf(reshape);
    if (!places)
      return rewriter.notifyMatchFailure(op, "its operand is not a reshape that inserts dimensions of extent 1");
    for (int64_t &place : *places)
      place = op.getDims()[place];
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getOperand(), rewriter.getDenseI64ArrayAttr(*places),
                                             op.getShapeAttr());
    return success();
  }
};

/// Moves an elementwise op before a reshape if its operands are such reshapes with equal positions, splat constants and
/// broadcast scalars.
struct ElementwiseOfUnits : OpTraitRewritePattern<ElementwiseTrait> {
  using OpTraitRewritePattern::OpTraitRewritePattern;
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "has several results");
    ReshapeOp reshape;
    for (Value operand : op->getOperands())
      if (auto candidate = operand.getDefiningOp<ReshapeOp>(); candidate && placesOf(candidate) && !reshape)
        reshape = candidate;
    if (!reshape || dimsOf(reshape.getResult()) != dimsOf(op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "no operand is a reshape that inserts dimensions of extent 1");
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return isAlike(operand, reshape); }))
      return rewriter.notifyMatchFailure(op, "an operand has these dimensions of extent 1 from elsewhere");
    Dims dims = dimsOf(reshape.getOperand());
    auto narrow = [&](Type type) { return tensorOf(dims, cast<RankedTensorType>(type).getElementType()); };
    Operation *narrowed = rewriter.clone(*op);
    for (OpOperand &operand : narrowed->getOpOperands())
      operand.set(without(operand.get(), narrow(operand.get().getType()), rewriter, narrowed));
    narrowed->getResult(0).setType(narrow(op->getResult(0).getType()));
    rewriter.setInsertionPointAfter(narrowed);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResultTypes(), narrowed->getResult(0), reshape.getShapeAttr());
    return success();
  }

private:
  static bool isAlike(Value operand, ReshapeOp reshape) {
    if (dimsOf(operand) != dimsOf(reshape.getResult()))
      return false;
    if (auto other = operand.getDefiningOp<ReshapeOp>())
      return placesOf(other) && dimsOf(other.getOperand()) == dimsOf(reshape.getOperand());
    if (auto scalar = operand.getDefiningOp<BroadcastOp>())
      return scalar.getDims().empty();
    DenseElementsAttr elements;
    return matchPattern(operand, m_Constant(&elements)) && elements.isSplat();
  }

  static Value without(Value operand, RankedTensorType type, PatternRewriter &rewriter, Operation *user) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(user);
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      return reshape.getOperand();
    if (auto scalar = operand.getDefiningOp<BroadcastOp>())
      return BroadcastOp::create(rewriter, scalar.getLoc(), type, scalar.getOperand(), scalar.getDimsAttr(),
                                 shapeOf(type.getContext(), dimsOf(type)));
    DenseElementsAttr elements;
    matchPattern(operand, m_Constant(&elements));
    return ConstantOp::create(rewriter, operand.getLoc(), elements.resizeSplat(type));
  }
};
} // namespace

void LatheDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<BroadcastOfUnits, ElementwiseOfUnits>(patterns.getContext());
  addPowerPatterns(patterns);
}
