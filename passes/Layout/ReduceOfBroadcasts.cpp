#include "passes/Layout/ReduceOfBroadcasts.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;

namespace {
/// An expression of elementwise ops over broadcasts and splat constants. Only the reduction that is its root uses it.
class Spread {
public:
  /// Reads an expression. Returns false if there is anything else in it, or more than a few ops.
  bool read(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || ops.size() >= kMostOps)
      return false;
    if (!seen.insert(op).second)
      return true;
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      varying.insert_range(broadcast.getDims());
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      if (!isa<SplatElementsAttr>(constant.getValue()))
        return false;
    } else if (!op->hasTrait<ElementwiseTrait>() || op->getNumResults() != 1 || !llvm::all_equal(op->getUsers()) ||
               !llvm::all_of(op->getOperands(), [&](Value operand) { return read(operand); })) {
      return false;
    }
    ops.push_back(op);
    return true;
  }

  /// True if the elements differ along a dimension.
  bool variesAlong(int64_t dim) const { return varying.contains(dim); }

  /// Emits the expression over some of the dimensions only, in which `place` finds a dimension.
  Value emit(const Dims &dims, llvm::function_ref<int64_t(int64_t)> place, PatternRewriter &rewriter) const {
    IRMapping map;
    for (Operation *op : ops) {
      RankedTensorType type = tensorOf(dims, getElementTypeOrSelf(op->getResult(0).getType()));
      Value made;
      if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
        made = BroadcastOp::create(rewriter, op->getLoc(), broadcast.getOperand(),
                                   llvm::map_to_vector(broadcast.getDims(), place), shapeOf(op->getContext(), dims));
      } else if (auto constant = dyn_cast<ConstantOp>(op)) {
        auto number = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>();
        made = ConstantOp::create(rewriter, op->getLoc(), DenseElementsAttr::get(type, number));
      } else {
        made = rewriter.clone(*op, map)->getResult(0);
        made.setType(type);
      }
      map.map(op->getResult(0), made);
    }
    return map.lookup(ops.back()->getResult(0));
  }

private:
  static constexpr size_t kMostOps = 16;

  SmallVector<Operation *> ops; // operands first
  llvm::SmallPtrSet<Operation *, 16> seen;
  llvm::SmallDenseSet<int64_t> varying;
};

// The sum over points of a number for each pair of point and centroid is the same for all coordinates: it is made once.
struct ReduceOfBroadcasts : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    Spread spread;
    Dims all = dimsOf(op.getOperand()), dims, result;
    if (!spread.read(op.getOperand()) || !isa<FloatType, IntegerType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "reduces more than broadcasts");
    SmallVector<int64_t> kept, reduced, left; // dimensions of the operand, the new reduction's, and of the result
    int64_t next = 0;
    for (auto [i, extent] : llvm::enumerate(all)) {
      bool isReduced = llvm::is_contained(op.getDims(), int64_t(i));
      int64_t place = isReduced ? -1 : next++;
      if (!isReduced && !spread.variesAlong(i))
        continue;
      if (isReduced)
        reduced.push_back(kept.size());
      else
        left.push_back(place);
      kept.push_back(i);
      dims.push_back(extent);
    }
    if (kept.size() == all.size() || llvm::any_of(all, [](const Dim &dim) { return dim.isUnknown(); }))
      return rewriter.notifyMatchFailure(op, "varies along all dimensions that it keeps");
    Value once = spread.emit(dims, [&](int64_t dim) { return llvm::find(kept, dim) - kept.begin(); }, rewriter);
    Value small = ReduceOp::create(rewriter, op.getLoc(), op.getKind(), once, reduced);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, small, left, shapeOf(getContext(), dimsOf(op.getResult())));
    return success();
  }
};
} // namespace

void lathe::populateReduceOfBroadcasts(RewritePatternSet &patterns) { patterns.add<ReduceOfBroadcasts>(patterns.getContext()); }
