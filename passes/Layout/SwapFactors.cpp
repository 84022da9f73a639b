#include "passes/Layout/SwapFactors.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

namespace {
// (A B)' is B' A': with the factors swapped, the product is in the transpose's order at once. So it is for the gradient of a
// matrix that a loop reads transposed. The columns are then those of the left factor, which must be contiguous and not few.
struct SwapFactors : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<DotGeneralOp>();
    if (!dot || !dot->hasOneUse())
      return rewriter.notifyMatchFailure(op, "is not the only use of a product");
    int64_t batch = dot.getLhsBatch().size(), rank = cast<RankedTensorType>(dot.getType()).getRank();
    int64_t columns = cast<RankedTensorType>(dot.getRhs().getType()).getRank() - batch - dot.getRhsContract().size();
    SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq(batch));
    llvm::append_range(swapped, llvm::seq(rank - columns, rank));
    llvm::append_range(swapped, llvm::seq(batch, rank - columns));
    if (op.getPermutation() != ArrayRef(swapped))
      return rewriter.notifyMatchFailure(op, "does not swap the rows and columns of the product");
    int64_t last = cast<RankedTensorType>(dot.getLhs().getType()).getRank() - 1;
    const Dim &contiguous = dimsOf(dot.getLhs()).back();
    if (llvm::is_contained(dot.getLhsContract(), last) || llvm::is_contained(dot.getLhsBatch(), last) ||
        !contiguous.isStatic() || contiguous.constant() < kLeastColumns)
      return rewriter.notifyMatchFailure(op, "would have columns that are not contiguous, or few");
    auto product = DotGeneralOp::create(rewriter, dot.getLoc(), dot.getRhs(), dot.getLhs(), dot.getRhsContract(),
                                        dot.getLhsContract(), dot.getRhsBatch(), dot.getLhsBatch());
    product->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, product);
    return success();
  }

private:
  static constexpr int64_t kLeastColumns = 16; // a line of the cache
};
} // namespace

void lathe::populateSwapFactors(RewritePatternSet &patterns) { patterns.add<SwapFactors>(patterns.getContext()); }
