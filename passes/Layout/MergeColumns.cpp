#include "passes/Layout/MergeColumns.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

namespace {
// A kernel's columns are the result's last dimension. If that is shorter than a vector or two, the dimensions before it become
// part of it where they are adjacent in rhs too.
struct MergeColumns : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    Dims rhs = dimsOf(op.getRhs()), result = dimsOf(op.getResult());
    size_t first = rhs.size(); // of the trailing free dimensions
    auto isFree = [&](int64_t dim) {
      return !llvm::is_contained(op.getRhsContract(), dim) && !llvm::is_contained(op.getRhsBatch(), dim);
    };
    while (first > 0 && isFree(first - 1))
      --first;
    size_t count = rhs.size() - first;
    if (count < 2 || !rhs.back().isStatic() || rhs.back().constant() >= kFewColumns)
      return rewriter.notifyMatchFailure(op, "has one dimension of columns, or many columns in the last one");
    auto merged = [&](Dims dims) {
      Dim columns(1);
      for (const Dim &dim : ArrayRef<Dim>(dims).take_back(count))
        columns = columns * dim;
      dims.truncate(dims.size() - count);
      dims.push_back(columns);
      return shapeOf(getContext(), dims);
    };
    Value matrix = ReshapeOp::create(rewriter, op.getLoc(), op.getRhs(), merged(rhs));
    Value product = DotGeneralOp::create(rewriter, op.getLoc(), op.getLhs(), matrix, op.getLhsContract(), op.getRhsContract(),
                                         op.getLhsBatch(), op.getRhsBatch());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, product, shapeOf(getContext(), result));
    return success();
  }

private:
  static constexpr int64_t kFewColumns = 8;
};
} // namespace

void lathe::populateMergeColumns(RewritePatternSet &patterns) { patterns.add<MergeColumns>(patterns.getContext()); }
