#include "passes/Layout/ReduceInSteps.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

/// True if a reduction has the same bits in any order.
static bool isFreeOfOrder(ReduceOp op) {
  bool isFloatSum = op.getKind() == ReduceKind::Sum || op.getKind() == ReduceKind::Product;
  return !isFloatSum || isa<IntegerType>(getElementTypeOrSelf(op.getType()));
}

namespace {
// The extremes of a whole tensor are those of its rows' extremes: threads share the rows, and the kernel that computes the rows
// can reduce them as well. A reduction to one number is neither.
struct ReduceInSteps : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (!isFreeOfOrder(op))
      return rewriter.notifyMatchFailure(op, "is a sum of floats, whose order is fixed");
    Dims dims = dimsOf(op.getOperand());
    size_t count = op.getDims().size(), row = dims.size(); // `row`: the first dimension of a row
    if (count != dims.size() || llvm::any_of(dims, [](const Dim &dim) { return dim.isUnknown(); }))
      return rewriter.notifyMatchFailure(op, "keeps dimensions");
    Dim length(1), rows(1);
    while (row > 0 && length.isStatic() && length.constant() < kLeastRow)
      length = length * dims[--row];
    for (const Dim &dim : ArrayRef<Dim>(dims).take_front(row))
      rows = rows * dim;
    if (row == 0 || rows.isStatic(1))
      return rewriter.notifyMatchFailure(op, "has one row");
    if (!length.isStatic() || (rows.isStatic() && rows.constant() < kLeastElements / std::max<int64_t>(length.constant(), 1)))
      return rewriter.notifyMatchFailure(op, "has few elements, or rows of named length");
    Value ofRows = ReduceOp::create(rewriter, op.getLoc(), op.getKind(), op.getOperand(),
                                    llvm::to_vector(llvm::seq<int64_t>(row, dims.size())));
    rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getKind(), ofRows, llvm::to_vector(llvm::seq<int64_t>(0, row)));
    return success();
  }

private:
  static constexpr int64_t kLeastRow = 64;
  /// A kernel of its own, over the rows' extremes, costs about as much as to reduce this many numbers.
  static constexpr int64_t kLeastElements = 1 << 16;
};

// A product by one vector reads each factor once, as a reduction does. As a reduction, it is part of the kernel that computes
// the factors, for example by rounding to bytes. Sums of integers have no order.
struct IntegerVectorToReduction : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    Dims lhs = dimsOf(op.getLhs());
    int64_t last = int64_t(lhs.size()) - 1;
    if (!isa<IntegerType>(getElementTypeOrSelf(op.getType())) || dimsOf(op.getRhs()).size() != 1 ||
        op.getLhsContract() != ArrayRef<int64_t>(last) || last == 0)
      return rewriter.notifyMatchFailure(op, "multiplies something else than rows of integers by a vector");
    if (llvm::any_of(lhs, [](const Dim &dim) { return dim.isUnknown(); }))
      return rewriter.notifyMatchFailure(op, "has unknown extents");
    Value factors = BroadcastOp::create(rewriter, op.getLoc(), op.getRhs(), op.getLhsContract(), shapeOf(getContext(), lhs));
    Value products = MulOp::create(rewriter, op.getLoc(), op.getLhs(), factors);
    rewriter.replaceOpWithNewOp<ReduceOp>(op, ReduceKind::Sum, products, op.getLhsContract());
    return success();
  }
};
} // namespace

void lathe::populateReduceInSteps(RewritePatternSet &patterns) {
  patterns.add<ReduceInSteps, IntegerVectorToReduction>(patterns.getContext());
}
