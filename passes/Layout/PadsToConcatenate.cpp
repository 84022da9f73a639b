#include "passes/Layout/PadsToConcatenate.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;

/// True if adding a zero to `value` needs no kernel of its own: its producer fuses the addition, also before a view.
static bool takesEpilogue(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op); reshape && !reshape.getChecked() && reshape->hasOneUse())
    op = reshape.getOperand().getDefiningOp();
  return op && (op->hasTrait<ElementwiseTrait>() || isa<ReduceOp, DotGeneralOp>(op));
}

/// Returns the only dimension along which `pad` adds zeros; nullopt if it does anything else.
static std::optional<int64_t> paddedDim(PadOp pad) {
  if (!matchPattern(pad.getValue(), m_PosZeroFloat()) && !matchPattern(pad.getValue(), m_Zero()))
    return std::nullopt;
  std::optional<int64_t> found;
  for (auto [dim, low, high, interior] : llvm::enumerate(dimsOf(pad.getLow()), dimsOf(pad.getHigh()), pad.getInterior())) {
    if (interior != 0)
      return std::nullopt;
    if (low.isStatic(0) && high.isStatic(0))
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found;
}

namespace {

// The gradient of a tensor that is read in parts is a sum of parts padded with zeros. If they cover the whole without overlap,
// each element is one part's element plus zeros: x + 0, which is x except for the sign of a zero. So the parts, with one zero
// added, are concatenated, where the sum would load from all of them at each position. Only for parts whose kernels fuse the
// addition: otherwise it would be another pass over memory.
struct PadsToConcatenate : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    SmallVector<PadOp> pads;
    if (!collectPads(op, pads))
      return rewriter.notifyMatchFailure(op, "adds something other than padded parts");
    std::optional<int64_t> dim = paddedDim(pads.front());
    if (!dim || !llvm::all_of(pads, [&](PadOp pad) { return paddedDim(pad) == dim && takesEpilogue(pad.getOperand()); }))
      return rewriter.notifyMatchFailure(op, "parts are not padded with zeros along one dimension, or are in memory");
    SmallVector<PadOp> order;
    Dim end(0), extent = dimsOf(op.getResult())[*dim];
    while (order.size() < pads.size()) {
      auto next = llvm::find_if(pads, [&](PadOp pad) { return !llvm::is_contained(order, pad) && lowOf(pad, *dim) == end; });
      if (next == pads.end())
        return rewriter.notifyMatchFailure(op, "parts overlap or leave something out");
      order.push_back(*next);
      end = end + dimsOf(next->getOperand())[*dim];
    }
    if (end != extent)
      return rewriter.notifyMatchFailure(op, "parts leave something out at the end");
    SmallVector<Value> parts;
    for (PadOp pad : order)
      parts.push_back(withZero(pad.getOperand(), pad.getValue(), rewriter));
    rewriter.replaceOpWithNewOp<ConcatenateOp>(op, parts, *dim);
    return success();
  }

private:
  static Dim lowOf(PadOp pad, int64_t dim) { return dimsOf(pad.getLow())[dim]; }

  /// Collects the padded parts that a tree of additions sums up. Returns false if it contains anything else, or if a part has
  /// another user.
  static bool collectPads(AddOp root, SmallVectorImpl<PadOp> &pads) {
    constexpr size_t kMostParts = 64;
    SmallVector<Value> open{root.getLhs(), root.getRhs()};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !op->hasOneUse() || pads.size() + open.size() >= kMostParts)
        return false;
      if (auto add = dyn_cast<AddOp>(op))
        open.append({add.getLhs(), add.getRhs()});
      else if (auto pad = dyn_cast<PadOp>(op))
        pads.push_back(pad);
      else
        return false;
    }
    return true;
  }

  /// Returns the sum of a part and a zero; it is added before a view, so that the part's kernel can fuse it.
  static Value withZero(Value part, Value zero, PatternRewriter &rewriter) {
    Location loc = part.getLoc();
    if (!isa<FloatType>(getElementTypeOrSelf(part.getType())))
      return part;
    if (auto reshape = part.getDefiningOp<ReshapeOp>(); reshape && reshape->hasOneUse()) {
      Value sum = withZero(reshape.getOperand(), zero, rewriter);
      return ReshapeOp::create(rewriter, loc, part.getType(), sum, reshape.getShapeAttr());
    }
    Dims dims = dimsOf(part);
    Value zeros = BroadcastOp::create(rewriter, loc, part.getType(), zero, rewriter.getDenseI64ArrayAttr({}),
                                      shapeOf(rewriter.getContext(), dims));
    return AddOp::create(rewriter, loc, part, zeros);
  }
};

/// Merges a concatenation into its only user, another one along the same dimension; it would be copied twice.
struct FlattenConcatenate : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatenateOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatenateOp>();
      if (inner && inner->hasOneUse() && inner.getDim() == op.getDim())
        llvm::append_range(parts, inner.getInputs());
      else
        parts.push_back(input);
    }
    if (parts.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no operand is a concatenation that only it reads");
    rewriter.replaceOpWithNewOp<ConcatenateOp>(op, parts, op.getDim());
    return success();
  }
};
} // namespace

void lathe::populatePadsToConcatenate(RewritePatternSet &patterns) {
  patterns.add<PadsToConcatenate, FlattenConcatenate>(patterns.getContext());
}
