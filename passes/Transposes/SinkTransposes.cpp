#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Transposes/Transposes.h"

namespace lathe {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "passes/Transposes/Transposes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

using Order = SmallVector<int64_t>;

/// Returns the transpose that defines a value, or null.
static TransposeOp transposeOf(Value value) { return value.getDefiningOp<TransposeOp>(); }

/// Reorders a list over a transpose's result by the dimensions of its operand.
template <typename T>
static SmallVector<T> inOrderOf(TransposeOp transpose, ArrayRef<T> list) {
  SmallVector<T> result(list);
  for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
    result[dim] = list[i];
  return result;
}

namespace {

/// Brings an operand into the order before the transpose, if that is cheap. The op's other operand is the transpose's result.
class Reorder {
public:
  Reorder(TransposeOp transpose, PatternRewriter &rewriter) : transpose(transpose), rewriter(rewriter) {}

  bool canTake(Value value) {
    if (TransposeOp other = transposeOf(value))
      return other.getPermutation() == transpose.getPermutation();
    return value.getDefiningOp<BroadcastOp>() || value.getDefiningOp<ConstantOp>();
  }

  Value take(Value value) {
    if (TransposeOp other = transposeOf(value))
      return other.getOperand();
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return TransposeOp::create(rewriter, value.getLoc(), value, invertPermutationVector(transpose.getPermutation()));
    // A broadcast's dimensions must ascend in the result; otherwise its operand is transposed.
    Order places;
    for (int64_t dim : broadcast.getDims())
      places.push_back(transpose.getPermutation()[dim]);
    Order order = llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
    llvm::sort(order, [&](int64_t a, int64_t b) { return places[a] < places[b]; });
    llvm::sort(places);
    Value operand = TransposeOp::create(rewriter, value.getLoc(), broadcast.getOperand(), order);
    Dims dims = inOrderOf<Dim>(transpose, dimsOf(broadcast.getResult()));
    return BroadcastOp::create(rewriter, value.getLoc(), operand, places, shapeOf(rewriter.getContext(), dims));
  }

private:
  TransposeOp transpose;
  PatternRewriter &rewriter;
};

/// Returns the first operand that is a transpose's result, if the others can be brought into its order, too.
TransposeOp commonTranspose(Operation *op, PatternRewriter &rewriter) {
  auto found = llvm::find_if(op->getOperands(), [](Value operand) { return bool(transposeOf(operand)); });
  if (found == op->operand_end())
    return {};
  TransposeOp transpose = transposeOf(*found);
  Reorder reorder(transpose, rewriter);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return reorder.canTake(operand); }) ? transpose : TransposeOp();
}

struct SinkBelowElementwise : RewritePattern {
  explicit SinkBelowElementwise(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<ElementwiseTrait>() || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "is not an elementwise op");
    TransposeOp transpose = commonTranspose(op, rewriter);
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "has operands in different orders");
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Reorder reorder(transpose, rewriter);
    IRMapping operands;
    for (Value operand : op->getOperands())
      if (!operands.contains(operand))
        operands.map(operand, reorder.take(operand));
    Operation *turned = rewriter.clone(*op, operands);
    turned->getResult(0).setType(tensorOf(inOrderOf<Dim>(transpose, dimsOf(type)), type.getElementType()));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, turned->getResult(0), transpose.getPermutation());
    return success();
  }
};

struct SinkBelowConcatenate : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatenateOp op, PatternRewriter &rewriter) const override {
    TransposeOp transpose = commonTranspose(op, rewriter);
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "has operands in different orders");
    Reorder reorder(transpose, rewriter);
    SmallVector<Value> operands;
    for (Value operand : op.getInputs())
      operands.push_back(reorder.take(operand));
    Value joined = ConcatenateOp::create(rewriter, op.getLoc(), operands, transpose.getPermutation()[op.getDim()]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, joined, transpose.getPermutation());
    return success();
  }
};
} // namespace

// Each `turn` emits the op on the transpose's operand. `order` is the transpose for the result: unchanged, unless it is set.

/// Moves a transpose after a reduction. The remaining dimensions keep their order; if it differs, a smaller transpose follows.
static Value turn(ReduceOp op, TransposeOp transpose, PatternRewriter &rewriter, Order &order) {
  Order dims, left;
  for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
    (llvm::is_contained(op.getDims(), int64_t(i)) ? dims : left).push_back(dim);
  llvm::sort(dims);
  Order ascending = left;
  llvm::sort(ascending);
  order.clear();
  for (int64_t dim : left)
    order.push_back(llvm::find(ascending, dim) - ascending.begin());
  return ReduceOp::create(rewriter, op.getLoc(), op.getKind(), transpose.getOperand(), dims);
}

static Value turn(ReduceWindowOp op, TransposeOp transpose, PatternRewriter &rewriter, Order &) {
  WindowAttr window = op.getWindow();
  auto turned = [&](DenseI64ArrayAttr list) {
    return rewriter.getDenseI64ArrayAttr(inOrderOf<int64_t>(transpose, list.asArrayRef()));
  };
  auto other =
      WindowAttr::get(op.getContext(), turned(window.getSize()), turned(window.getStride()), turned(window.getDilation()),
                      turned(window.getBaseDilation()), turned(window.getLow()), turned(window.getHigh()));
  return ReduceWindowOp::create(rewriter, op.getLoc(), op.getKind(), transpose.getOperand(), other);
}

static Value turn(PadOp op, TransposeOp transpose, PatternRewriter &rewriter, Order &) {
  auto turned = [&](ShapeAttr list) { return shapeOf(op.getContext(), inOrderOf<Dim>(transpose, dimsOf(list))); };
  return PadOp::create(rewriter, op.getLoc(), transpose.getOperand(), op.getValue(), turned(op.getLow()), turned(op.getHigh()),
                       inOrderOf(transpose, op.getInterior()));
}

namespace {
/// Sinks a transpose below an op of one operand, by `turn`.
template <typename Op>
struct SinkBelow : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    TransposeOp transpose = transposeOf(op.getOperand());
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "reads no transpose");
    Order order(transpose.getPermutation());
    Value turned = turn(op, transpose, rewriter, order);
    rewriter.template replaceOpWithNewOp<TransposeOp>(op, turned, order);
    return success();
  }
};

/// True if a transpose keeps the last dimension, so that what is contiguous stays so.
bool keepsLast(TransposeOp transpose) {
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  return !permutation.empty() && permutation.back() == int64_t(permutation.size()) - 1;
}

/// True if slices along `axis` of the transpose's result are at least as long runs in its operand, and longer than an element.
bool keepsRuns(TransposeOp transpose, int64_t axis) {
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  int64_t from = permutation[axis];
  return from + 1 < int64_t(permutation.size()) &&
         llvm::all_of(permutation.drop_front(axis + 1), [&](int64_t dim) { return dim > from; });
}

// Slices of the operand are as contiguous as those of its transpose, if the last dimension stays and is not the axis. Those of
// an image whose channels become last are longer: nearest neighbours of a row or a column.
struct SinkBelowGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    TransposeOp transpose = transposeOf(op.getTable());
    int64_t axis = op.getAxis();
    if (!transpose || op.getBatch() != 0)
      return rewriter.notifyMatchFailure(op, "reads no transpose, or indices of a batch");
    bool staysLast = keepsLast(transpose) && axis + 1 != int64_t(transpose.getPermutation().size());
    if (!staysLast && !keepsRuns(transpose, axis))
      return rewriter.notifyMatchFailure(op, "would read scattered elements");
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    int64_t from = permutation[axis], indices = cast<RankedTensorType>(op.getIndices().getType()).getRank();
    Order order;
    for (auto [i, dim] : llvm::enumerate(permutation)) {
      if (int64_t(i) == axis)
        llvm::append_range(order, llvm::seq(from, from + indices));
      else
        order.push_back(dim < from ? dim : dim - 1 + indices);
    }
    Value turned = GatherOp::create(rewriter, op.getLoc(), transpose.getOperand(), op.getIndices(), from, /*batch=*/0);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, turned, order);
    return success();
  }
};

// A product that uses each element of an operand a few times costs little more than a transposed copy of it.
struct SinkBelowSmallProduct : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    for (bool isLeft : {true, false}) {
      TransposeOp transpose = transposeOf(isLeft ? op.getLhs() : op.getRhs());
      if (!transpose || !keepsLast(transpose) || uses(op, isLeft) > kFewUses)
        continue;
      rewriter.replaceOp(op, turn(op, transpose, isLeft, rewriter));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "reads no transpose, or each of its elements often");
  }

private:
  static constexpr int64_t kFewUses = 8;

  static SmallVector<int64_t> freeDims(Value operand, ArrayRef<int64_t> contracted, ArrayRef<int64_t> batch) {
    return llvm::to_vector(
        llvm::make_filter_range(llvm::seq(cast<RankedTensorType>(operand.getType()).getRank()), [=](int64_t dim) {
          return !llvm::is_contained(contracted, dim) && !llvm::is_contained(batch, dim);
        }));
  }

  /// Number of products that read each element of an operand: the other one's free elements; many, if it has named extents.
  static int64_t uses(DotGeneralOp op, bool isLeft) {
    Value other = isLeft ? op.getRhs() : op.getLhs();
    Dim product(1);
    for (int64_t dim : isLeft ? freeDims(other, op.getRhsContract(), op.getRhsBatch())
                              : freeDims(other, op.getLhsContract(), op.getLhsBatch()))
      product = product * dimsOf(other)[dim];
    return product.isStatic() ? product.constant() : kFewUses + 1;
  }

  /// Emits the product of the transpose's operand, and a transpose behind it if the free dimensions change places.
  static Value turn(DotGeneralOp op, TransposeOp transpose, bool isLeft, PatternRewriter &rewriter) {
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    auto before = [&](ArrayRef<int64_t> dims) {
      return llvm::map_to_vector(dims, [&](int64_t dim) { return permutation[dim]; });
    };
    ArrayRef<int64_t> contracted = isLeft ? op.getLhsContract() : op.getRhsContract();
    ArrayRef<int64_t> batch = isLeft ? op.getLhsBatch() : op.getRhsBatch();
    Order turnedContracted = before(contracted), turnedBatch = before(batch);
    Order free = before(freeDims(transpose.getResult(), contracted, batch)), ascending = free;
    llvm::sort(ascending);
    Value turned = isLeft ? DotGeneralOp::create(rewriter, op.getLoc(), transpose.getOperand(), op.getRhs(), turnedContracted,
                                                 op.getRhsContract(), turnedBatch, op.getRhsBatch())
                          : DotGeneralOp::create(rewriter, op.getLoc(), op.getLhs(), transpose.getOperand(),
                                                 op.getLhsContract(), turnedContracted, op.getLhsBatch(), turnedBatch);
    if (free == ascending)
      return turned;
    int64_t rank = cast<RankedTensorType>(op.getType()).getRank(), first = isLeft ? batch.size() : rank - int64_t(free.size());
    Order order = llvm::to_vector(llvm::seq(rank));
    for (auto [i, dim] : llvm::enumerate(free))
      order[first + i] = first + (llvm::find(ascending, dim) - ascending.begin());
    return TransposeOp::create(rewriter, op.getLoc(), turned, order);
  }
};

/// Counts the ops that patterns replace by transposes. Folds replace ops by values, which do not count.
struct Counter : RewriterBase::Listener {
  using RewriterBase::Listener::notifyOperationReplaced;
  void notifyOperationReplaced(Operation *, Operation *) override { ++replaced; }
  unsigned replaced = 0;
};

struct SinkTransposes : lathe::impl::SinkTransposesPassBase<SinkTransposes> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkBelowElementwise, SinkBelowConcatenate, SinkBelow<ReduceOp>, SinkBelow<ReduceWindowOp>, SinkBelow<PadOp>,
                 SinkBelowGather, SinkBelowSmallProduct>(&getContext());
    Counter counter;
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), GreedyRewriteConfig().setListener(&counter))))
      signalPassFailure();
    sunk += counter.replaced;
  }
};
} // namespace
