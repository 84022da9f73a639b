#include "passes/Layout/Layout.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/Bytes.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Layout/BytesFirst.h"
#include "passes/Layout/MergeColumns.h"
#include "passes/Layout/PadsToConcatenate.h"
#include "passes/Layout/PointwiseToProduct.h"
#include "passes/Layout/ReduceInSteps.h"
#include "passes/Layout/ReduceOfBroadcasts.h"
#include "passes/Layout/ScatterToGather.h"
#include "passes/Layout/ScatterToSelect.h"
#include "passes/Layout/SwapFactors.h"

namespace lathe {
#define GEN_PASS_DEF_LAYOUTPASS
#include "passes/Layout/Layout.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {

/// The spatial geometry of the convolution that computes an input gradient.
struct Mirrored {
  SmallVector<int64_t> low, high;
  bool isOpen = false; // the trailing padding is not a number, and `high` is 0

  /// Returns false if a result of this shape is out of reach.
  bool fit(const ConvolutionGeometry &g, ArrayRef<Dim> output, ArrayRef<Dim> filter, ArrayRef<Dim> input) {
    auto isZero = [](const Dim &dim) { return dim.isStatic() && dim.constant() == 0; };
    for (size_t i = 0; i < input.size(); ++i) {
      if (!filter[i].isStatic() || isZero(output[i]) || isZero(filter[i]) || isZero(input[i]))
        return false;
      int64_t reach = (filter[i].constant() - 1) * g.dilation[i];
      Dim span = (output[i] - Dim(1)) * Dim(g.strides[i]) + Dim(1);
      Dim needed = (input[i] - Dim(1)) * Dim(g.inputDilation[i]) + Dim(reach + 1);
      low.push_back(reach - g.padLow[i]);
      Dim behind = needed - span - Dim(low.back());
      high.push_back(behind.isStatic() ? behind.constant() : 0);
      isOpen |= !behind.isStatic() || (!output[i].isStatic() && g.strides[i] != 1); // otherwise inference finds the same text
    }
    if (isOpen)
      high.assign(high.size(), 0);
    return true;
  }
};

// A device's tiles accept any layout of a filter, also in halves.
static bool isForTiles(ConvInputGradOp op) { return isOnDevice(op) && op.getGroups() == 1; }

// i * input_dilation = o * stride + k * dilation - pad_low, read from right to left, is the relation of a convolution over o:
// stride and input dilation are exchanged, and the order of taps and the ends of the padding are reversed.
struct InputGradToConv : OpRewritePattern<ConvInputGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvInputGradOp op, PatternRewriter &rewriter) const override {
    if (isForTiles(op))
      return rewriter.notifyMatchFailure(op, "is made of tiles as it is");
    Dims output = dimsOf(op.getOutput()), filter = dimsOf(op.getFilter()), input = dimsOf(op.getResult());
    size_t spatial = output.size() - 2;
    ConvolutionGeometry g = op.getGeometry();
    Mirrored mirrored;
    if (!mirrored.fit(g, ArrayRef(output).slice(1, spatial), ArrayRef(filter).take_front(spatial),
                      ArrayRef(input).slice(1, spatial)))
      return rewriter.notifyMatchFailure(op, "has spatial extents of zero, or a filter of named extents");
    auto taps = llvm::to_vector(llvm::seq<int64_t>(0, spatial));
    Value flipped = ReverseOp::create(rewriter, op.getLoc(), channelsSwapped(op, rewriter), taps);
    auto conv = ConvOp::create(rewriter, op.getLoc(), op.getOutput(), flipped, g.inputDilation, mirrored.low, mirrored.high,
                               g.dilation, g.strides, g.groups, mirrored.isOpen ? op.getInputShapeAttr() : ShapeAttr());
    if (conv.getType() != op.getType()) {
      rewriter.eraseOp(conv);
      return rewriter.notifyMatchFailure(op, "has a shape that no convolution infers");
    }
    explain(op.getLoc(), "layout", "the input gradient is a convolution of the gradient with the flipped filter");
    rewriter.replaceOp(op, conv);
    return success();
  }

private:
  /// Returns the filter [taps..., channels, groups * filters] as [taps..., filters, groups * channels].
  static Value channelsSwapped(ConvInputGradOp op, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    int64_t groups = op.getGroups();
    Dims dims = dimsOf(op.getFilter());
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, dims.size() - 2));
    int64_t rank = dims.size();
    if (groups == 1) {
      permutation.append({rank - 1, rank - 2});
      return TransposeOp::create(rewriter, loc, op.getFilter(), permutation);
    }
    Dim channels = dims[rank - 2], filters = *dims[rank - 1].dividedBy(groups);
    permutation.append({rank, rank - 1, rank - 2});
    dims.truncate(rank - 2);
    Dims apart = dims, swapped = dims;
    apart.append({channels, Dim(groups), filters});
    swapped.append({filters, channels * Dim(groups)});
    Value split = ReshapeOp::create(rewriter, loc, op.getFilter(), shapeOf(op.getContext(), apart));
    Value turned = TransposeOp::create(rewriter, loc, split, permutation);
    return ReshapeOp::create(rewriter, loc, turned, shapeOf(op.getContext(), swapped));
  }
};

// Product tiles need contiguous columns of rhs. If they are not, or only a few of them, a transposed copy costs depth * columns
// steps, and saves as many in each row of the product.
struct TransposeForDot : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    int64_t rank = cast<RankedTensorType>(op.getRhs().getType()).getRank();
    SmallVector<int64_t> permutation(op.getRhsBatch());
    llvm::append_range(permutation, op.getRhsContract());
    auto isFree = [&](int64_t dim) { return !llvm::is_contained(permutation, dim); };
    if (op.getRhsContract().empty() || rank == int64_t(permutation.size()) || (isFree(rank - 1) && !isNarrow(op, permutation)))
      return rewriter.notifyMatchFailure(op, "has contiguous columns, or none");
    bool isOfBytes = centredBytes(op.getLhs()) && centredBytes(op.getRhs());
    if (!isOfBytes && rows(op).isStatic() && rows(op).constant() < kFewRows)
      return rewriter.notifyMatchFailure(op, "has too few rows");
    int64_t batch = op.getRhsBatch().size(), contract = op.getRhsContract().size();
    SmallVector<int64_t> free = llvm::to_vector(llvm::make_filter_range(llvm::seq(rank), isFree));
    llvm::append_range(permutation, free);
    Value transposed = TransposeOp::create(rewriter, op.getLoc(), op.getRhs(), permutation);
    rewriter.modifyOpInPlace(op, [&] {
      op.getRhsMutable().assign(transposed);
      op.setRhsBatch(llvm::to_vector(llvm::seq(batch)));
      op.setRhsContract(llvm::to_vector(llvm::seq(batch, batch + contract)));
    });
    return success();
  }

private:
  static constexpr int64_t kFewRows = 4, kFewColumns = 8;

  /// True if few columns are contiguous, and others are elsewhere, so that vectors could not go along columns.
  static bool isNarrow(DotGeneralOp op, ArrayRef<int64_t> others) {
    Dims dims = dimsOf(op.getRhs());
    Dim columns(1);
    size_t last = dims.size();
    for (; last > 0 && !llvm::is_contained(others, int64_t(last) - 1); --last)
      columns = columns * dims[last - 1];
    return columns.isStatic() && columns.constant() < kFewColumns && others.size() < last;
  }

  static Dim rows(DotGeneralOp op) {
    Dim rows(1);
    for (auto [i, extent] : llvm::enumerate(dimsOf(op.getLhs())))
      if (!llvm::is_contained(op.getLhsContract(), int64_t(i)) && !llvm::is_contained(op.getLhsBatch(), int64_t(i)))
        rows = rows * extent;
    return rows;
  }
};

// Tiles traverse lhs along the depth. If its rows are contiguous, each step of the depth is in another cache line, and for deep
// products these lines are evicted before the next rows use them: a copy with contiguous depth is read in order.
struct TransposeDeepLhs : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    Dims dims = dimsOf(op.getLhs());
    SmallVector<int64_t> permutation(op.getLhsBatch()), last(op.getLhsContract());
    Dim depth(1), rows(1);
    for (auto [i, extent] : llvm::enumerate(dims)) {
      bool isContracted = llvm::is_contained(last, int64_t(i));
      if (!isContracted && llvm::is_contained(op.getLhsBatch(), int64_t(i)))
        continue;
      (isContracted ? depth : rows) = (isContracted ? depth : rows) * extent;
      if (!isContracted)
        permutation.push_back(i);
    }
    if (dims.empty() || llvm::is_contained(last, int64_t(dims.size()) - 1))
      return rewriter.notifyMatchFailure(op, "has contiguous products");
    if (!depth.isStatic() || depth.constant() < kDeep || !rows.isStatic() || rows.constant() < kManyRows)
      return rewriter.notifyMatchFailure(op, "is not deep, or has few rows");
    int64_t batch = op.getLhsBatch().size(), first = permutation.size();
    llvm::append_range(permutation, last);
    Value transposed = TransposeOp::create(rewriter, op.getLoc(), op.getLhs(), permutation);
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(transposed);
      op.setLhsBatch(llvm::to_vector(llvm::seq(batch)));
      op.setLhsContract(llvm::to_vector(llvm::seq(first, int64_t(permutation.size()))));
    });
    return success();
  }

private:
  static constexpr int64_t kDeep = 1024, kManyRows = 64;
};

// A matrix of one column is a vector: its products are sums along memory, not tiles of a single lane. Decided before named
// dimensions have sizes, so that all versions of a function add in the same order.
struct DropColumn : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    Dims kept;
    SmallVector<int64_t> newIndex;
    for (auto [i, extent] : llvm::enumerate(dimsOf(op.getRhs()))) {
      bool isFree = !llvm::is_contained(op.getRhsContract(), int64_t(i)) && !llvm::is_contained(op.getRhsBatch(), int64_t(i));
      if (isFree && !extent.isStatic(1))
        return rewriter.notifyMatchFailure(op, "has several columns");
      newIndex.push_back(kept.size());
      if (!isFree)
        kept.push_back(extent);
    }
    if (kept.size() == newIndex.size())
      return rewriter.notifyMatchFailure(op, "has a vector already");
    auto renumber = [&](ArrayRef<int64_t> dims) {
      return llvm::to_vector(llvm::map_range(dims, [&](int64_t dim) { return newIndex[dim]; }));
    };
    Location loc = op.getLoc();
    Value vector = ReshapeOp::create(rewriter, loc, op.getRhs(), shapeOf(getContext(), kept));
    Value product = DotGeneralOp::create(rewriter, loc, op.getLhs(), vector, op.getLhsContract(), renumber(op.getRhsContract()),
                                         op.getLhsBatch(), renumber(op.getRhsBatch()));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, product, shapeOf(getContext(), dimsOf(op.getResult())));
    return success();
  }
};

// Rewrites X a = b as a' X' = b': only left solves with contiguous columns have a kernel.
struct SolveFromLeft : OpRewritePattern<TriangularSolveOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TriangularSolveOp op, PatternRewriter &rewriter) const override {
    if (!op.getRight())
      return rewriter.notifyMatchFailure(op, "is from the left");
    SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(cast<RankedTensorType>(op.getType()).getRank()));
    std::swap(swapped[swapped.size() - 2], swapped.back());
    Value right = TransposeOp::create(rewriter, op.getLoc(), op.getB(), swapped);
    Value solved = TriangularSolveOp::create(rewriter, op.getLoc(), op.getA(), right, /*right=*/false, op.getUpper(),
                                             !op.getTransposed(), op.getUnit());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, solved, swapped);
    return success();
  }
};

/// Replaces a top_k of named size by a slice of the whole order: kernels select a known number of elements.
struct TopKBySize : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op, PatternRewriter &rewriter) const override {
    if (op.getCountDim().isStatic())
      return rewriter.notifyMatchFailure(op, "has a known count");
    Value order = ArgsortOp::create(rewriter, op.getLoc(), op.getOperand(), op.getDim(), /*descending=*/!op.getSmallest());
    Dims limits = dimsOf(op.getResult());
    SmallVector<int64_t> steps(limits.size(), 1);
    rewriter.replaceOpWithNewOp<SliceOp>(op, order, shapeOf(getContext(), Dims(limits.size())), shapeOf(getContext(), limits),
                                         steps);
    return success();
  }
};

struct LayoutPass : lathe::impl::LayoutPassBase<LayoutPass> {
  void runOnOperation() final {
    auto count = [&] {
      unsigned found = 0;
      getOperation().walk([&](ConvInputGradOp) { ++found; });
      return found;
    };
    unsigned before = count();
    RewritePatternSet patterns(&getContext());
    patterns.add<InputGradToConv, DropColumn, SolveFromLeft, TopKBySize>(&getContext());
    if (!isOnDevice(getOperation())) { // device tiles load operands into shared memory, whatever their layout
      patterns.add<TransposeForDot, TransposeDeepLhs>(&getContext());
      populateMergeColumns(patterns);
      populateSwapFactors(patterns);
      populatePointwiseToProduct(patterns);
      populateBytesFirst(patterns);
      populateReduceInSteps(patterns);
    }
    populateReduceOfBroadcasts(patterns);
    populateScatterToSelect(patterns);
    populatePadsToConcatenate(patterns);
    populateScatterToGather(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    rewritten += before - count();
    getOperation().walk([](ConvInputGradOp op) {
      if (!isForTiles(op))
        explainNot(op.getLoc(), "layout", "the input gradient is not a convolution: a spatial extent is zero");
    });
  }
};
} // namespace
