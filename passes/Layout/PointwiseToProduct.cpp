#include "passes/Layout/PointwiseToProduct.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Explain.h"

using namespace mlir;
using namespace lathe;

/// True if each output position reads the input at the same position only.
static bool isPointwise(ConvOp op) {
  Dims filter = dimsOf(op.getFilter()), input = dimsOf(op.getInput()), output = dimsOf(op.getResult());
  ConvolutionGeometry g = op.getGeometry();
  if (g.groups != 1)
    return false;
  for (size_t i = 0; i + 2 < input.size(); ++i)
    if (!filter[i].isStatic(1) || g.strides[i] != 1 || g.inputDilation[i] != 1 || g.padLow[i] != 0 ||
        input[i + 1] != output[i + 1])
      return false;
  return true;
}

namespace {
// A product's rows are all positions of all images, where a convolution's tiles end with each line.
struct PointwiseToProduct : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    if (!isPointwise(op))
      return rewriter.notifyMatchFailure(op, "has several taps, groups, strides or padding");
    Dims filter = dimsOf(op.getFilter());
    Value matrix =
        ReshapeOp::create(rewriter, op.getLoc(), op.getFilter(), shapeOf(getContext(), ArrayRef<Dim>(filter).take_back(2)));
    int64_t channels = cast<RankedTensorType>(op.getInput().getType()).getRank() - 1;
    ArrayRef<int64_t> none;
    auto dot = DotGeneralOp::create(rewriter, op.getLoc(), op.getInput(), matrix, ArrayRef<int64_t>(channels),
                                    ArrayRef<int64_t>(int64_t(0)), none, none);
    explain(op.getLoc(), "layout", "the convolution with one tap is a product");
    rewriter.replaceOp(op, dot);
    return success();
  }
};
} // namespace

void lathe::populatePointwiseToProduct(RewritePatternSet &patterns) { patterns.add<PointwiseToProduct>(patterns.getContext()); }
