#include "passes/Layout/ScatterToSelect.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

namespace {

// The gradient of picking an element of each row puts one number into each row of zeros. All of the result is written anyway,
// so it becomes a select between the number and zero, and fuses with its users. If the operand is in memory, a scatter in place
// writes less.
struct ScatterToSelect : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op, PatternRewriter &rewriter) const override {
    if (dimsOf(op.getIndices()).size() != op.getBatch())
      return rewriter.notifyMatchFailure(op, "has several updates a line");
    Operation *into = op.getInto().getDefiningOp();
    if (!into || !isa<ConstantOp, BroadcastOp>(into))
      return rewriter.notifyMatchFailure(op, "changes parts of a tensor in memory");
    Location loc = op.getLoc();
    Dims dims = dimsOf(op.getResult());
    ShapeAttr shape = shapeOf(getContext(), dims);
    int64_t axis = op.getAxis(), batch = op.getBatch();
    // As narrow as the indices, if all positions fit.
    bool fits = dims[axis].isStatic() && dims[axis].constant() <= std::numeric_limits<int32_t>::max();
    Value indices = op.getIndices();
    if (!fits && !getElementTypeOrSelf(indices.getType()).isInteger(64))
      indices = ConvertOp::create(rewriter, loc, indices, rewriter.getI64Type());
    Value place = IotaOp::create(rewriter, loc, axis, shape, getElementTypeOrSelf(indices.getType()));
    Value picked = BroadcastOp::create(rewriter, loc, indices, llvm::to_vector(llvm::seq(batch)), shape);
    SmallVector<int64_t> others;
    for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
      if (dim != axis)
        others.push_back(dim);
    Value update = BroadcastOp::create(rewriter, loc, op.getUpdates(), others, shape);
    Value hit = CompareOp::create(rewriter, loc, CompareKind::EQ, place, picked);
    rewriter.replaceOpWithNewOp<SelectOp>(op, hit, combined(rewriter, op, update), op.getInto());
    return success();
  }

private:
  static Value combined(PatternRewriter &rewriter, ScatterOp op, Value update) {
    Location loc = op.getLoc();
    switch (op.getKind()) {
    case ScatterKind::Set:
      return update;
    case ScatterKind::Add:
      return AddOp::create(rewriter, loc, op.getInto(), update);
    case ScatterKind::Mul:
      return MulOp::create(rewriter, loc, op.getInto(), update);
    case ScatterKind::Max:
      return MaxOp::create(rewriter, loc, op.getInto(), update);
    case ScatterKind::Min:
      return MinOp::create(rewriter, loc, op.getInto(), update);
    }
    llvm_unreachable("all kinds are above");
  }
};
} // namespace

void lathe::populateScatterToSelect(RewritePatternSet &patterns) { patterns.add<ScatterToSelect>(patterns.getContext()); }
