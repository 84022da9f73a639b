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

// The gradient of such a filter is a product over all positions, even if the convolution skips inputs: to copy those that it
// reads takes little time beside the product, whose tiles would read a whole cache line for each few channels.
struct PointwiseFilterGradToProduct : OpRewritePattern<ConvFilterGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvFilterGradOp op, PatternRewriter &rewriter) const override {
    Dims filter = dimsOf(op.getResult()), input = dimsOf(op.getInput()), output = dimsOf(op.getOutput());
    ConvolutionGeometry g = op.getGeometry();
    if (g.groups != 1 || isa<IntegerType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "has groups or integers");
    Dims starts(input.size(), Dim(0)), limits = input;
    SmallVector<int64_t> steps(input.size(), 1), places{0};
    for (size_t i = 0; i + 2 < input.size(); ++i) {
      bool skips = g.strides[i] != 1 || input[i + 1] != output[i + 1];
      if (!filter[i].isStatic(1) || g.inputDilation[i] != 1 || g.padLow[i] != 0 || (skips && !output[i + 1].isStatic()))
        return rewriter.notifyMatchFailure(op, "has several taps, padding or named strides");
      steps[i + 1] = g.strides[i];
      if (skips)
        limits[i + 1] = Dim(std::max<int64_t>(output[i + 1].constant() - 1, 0) * g.strides[i] + 1);
      if (skips &&
          (output[i + 1].constant() < 1 || !input[i + 1].isStatic() || limits[i + 1].constant() > input[i + 1].constant()))
        return rewriter.notifyMatchFailure(op, "reads beyond the input");
      places.push_back(i + 1);
    }
    Value read = op.getInput();
    if (limits != input || llvm::any_of(steps, [](int64_t step) { return step != 1; }))
      read = SliceOp::create(rewriter, op.getLoc(), read, shapeOf(getContext(), starts), shapeOf(getContext(), limits), steps);
    ArrayRef<int64_t> none;
    Value dot = DotGeneralOp::create(rewriter, op.getLoc(), read, op.getOutput(), places, places, none, none);
    explain(op.getLoc(), "layout", "the gradient of a filter with one tap is a product");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, dot, shapeOf(getContext(), filter));
    return success();
  }
};
} // namespace

void lathe::populatePointwiseToProduct(RewritePatternSet &patterns) {
  patterns.add<PointwiseToProduct, PointwiseFilterGradToProduct>(patterns.getContext());
}
