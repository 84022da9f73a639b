#include "passes/Layout/ScatterToGather.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;

/// True if all elements are zeros that no sum changes: positive zeros for floats.
static bool isZeros(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getOperand();
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// Returns for each position below `extent` the number of its update, or -1; nullopt if a position has several.
static std::optional<SmallVector<int32_t>> inverseOf(DenseIntElementsAttr indices, int64_t extent) {
  SmallVector<int32_t> inverse(extent, -1);
  for (auto [number, place] : llvm::enumerate(indices.getValues<APInt>())) {
    int64_t at = place.getSExtValue();
    if (at < 0 || at >= extent)
      continue; // dropped
    if (inverse[at] >= 0)
      return std::nullopt;
    inverse[at] = number;
  }
  return inverse;
}

namespace {

// The gradient of a permutation, or of some rows in a known order, is a scatter into zeros at constant positions. If no
// position gets two updates, each position can look up its update, and positions without one read out of range: zeros. The
// gather is computed in the kernel that reads it, and needs no zeros in memory. The indices of all positions are a constant of
// the object, so their number is limited.
struct ScatterToGather : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op, PatternRewriter &rewriter) const override {
    constexpr int64_t kMostPlaces = 4096;
    if (op.getBatch() != 0 || dimsOf(op.getIndices()).size() != 1)
      return rewriter.notifyMatchFailure(op, "has indices of several dimensions");
    bool adds = op.getKind() == ScatterKind::Add;
    if ((!adds && op.getKind() != ScatterKind::Set) || !isZeros(op.getInto()))
      return rewriter.notifyMatchFailure(op, "does not add to zeros, or set them");
    Dim extent = dimsOf(op.getInto())[op.getAxis()];
    DenseIntElementsAttr indices;
    if (!extent.isStatic() || extent.constant() > kMostPlaces || !matchPattern(op.getIndices(), m_Constant(&indices)))
      return rewriter.notifyMatchFailure(op, "has no constant indices, or too many places");
    std::optional<SmallVector<int32_t>> inverse = inverseOf(indices, extent.constant());
    if (!inverse)
      return rewriter.notifyMatchFailure(op, "has several updates for a place");
    auto type = RankedTensorType::get({extent.constant()}, rewriter.getI32Type());
    Value numbers = ConstantOp::create(rewriter, op.getLoc(), DenseIntElementsAttr::get(type, ArrayRef<int32_t>(*inverse)));
    Value updates = GatherOp::create(rewriter, op.getLoc(), op.getUpdates(), numbers, op.getAxis(), /*batch=*/0);
    if (adds)
      updates = AddOp::create(rewriter, op.getLoc(), op.getInto(), updates);
    rewriter.replaceOp(op, updates);
    return success();
  }
};
} // namespace

void lathe::populateScatterToGather(RewritePatternSet &patterns) { patterns.add<ScatterToGather>(patterns.getContext()); }
