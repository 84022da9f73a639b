#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Products/Products.h"

namespace lathe {
#define GEN_PASS_DEF_ORDERPRODUCTSPASS
#include "passes/Products/Products.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
using Labels = SmallVector<unsigned>;

/// A tensor, or one that is not computed yet, with a label for each dimension. Equal labels mean one index of the sum.
struct Factor {
  Value value;
  Labels labels;

  bool has(unsigned label) const { return llvm::is_contained(labels, label); }
};

/// The product of two factors, as a relation of labels: which of them the result keeps, in its order.
struct Product {
  Labels contracted, batch, lhsFree, rhsFree;

  /// Multiplies and sums over what both factors have and `isKept` denies.
  Product(const Factor &lhs, const Factor &rhs, llvm::function_ref<bool(unsigned)> isKept) {
    for (unsigned label : lhs.labels)
      (!rhs.has(label) ? lhsFree : isKept(label) ? batch : contracted).push_back(label);
    for (unsigned label : rhs.labels)
      if (!lhs.has(label))
        rhsFree.push_back(label);
  }

  Labels result() const {
    Labels labels(batch);
    llvm::append_range(labels, lhsFree);
    llvm::append_range(labels, rhsFree);
    return labels;
  }
};

/// A product of three factors: `first` is the product of two, and the whole one of that by the third.
struct Sum {
  SmallVector<Dim> extents; // by label
  Factor inner[2], outer;   // outer . (inner[0] . inner[1])
  bool isOuterLeft;
  Labels result;

  /// Reads the two ops. The inner one is operand number `position` of the outer one, perhaps behind a transpose.
  static std::optional<Sum> read(DotGeneralOp op, unsigned position);

  /// Number of elements of a tensor with these labels, where named dimensions have this size.
  double elements(ArrayRef<unsigned> labels, int64_t named) const {
    double product = 1;
    for (unsigned label : labels)
      product *= extents[label].isStatic() ? double(extents[label].constant()) : double(named);
    return product;
  }

private:
  Factor factor(Value value) {
    Factor result{value, {}};
    for (const Dim &extent : dimsOf(value)) {
      result.labels.push_back(extents.size());
      extents.push_back(extent);
    }
    return result;
  }
};
} // namespace

/// Gives the dimensions of rhs that an op pairs with lhs the labels of these, and returns the product.
static Product pair(DotGeneralOp op, Factor &lhs, Factor &rhs) {
  auto share = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    for (auto [i, j] : llvm::zip_equal(left, right))
      rhs.labels[j] = lhs.labels[i];
  };
  share(op.getLhsContract(), op.getRhsContract());
  share(op.getLhsBatch(), op.getRhsBatch());
  Product product(lhs, rhs, [&](unsigned label) {
    return llvm::any_of(op.getLhsBatch(), [&](int64_t dim) { return lhs.labels[dim] == label; });
  });
  product.batch.clear(); // in the op's order
  for (int64_t dim : op.getLhsBatch())
    product.batch.push_back(lhs.labels[dim]);
  return product;
}

std::optional<Sum> Sum::read(DotGeneralOp op, unsigned position) {
  Value value = op->getOperand(position);
  auto transpose = value.getDefiningOp<TransposeOp>();
  auto inner = (transpose ? transpose.getOperand() : value).getDefiningOp<DotGeneralOp>();
  Type type = getElementTypeOrSelf(op.getType());
  auto isConstant = [](Value factor) { return bool(factor.getDefiningOp<ConstantOp>()); };
  if (!inner || llvm::all_of(inner->getOperands(), isConstant)) // which is computed while compiling
    return {};
  if (!value.hasOneUse() || !inner->hasOneUse() || inner->getBlock() != op->getBlock() || !(type.isF32() || type.isF64()))
    return {};
  Sum sum;
  sum.inner[0] = sum.factor(inner.getLhs());
  sum.inner[1] = sum.factor(inner.getRhs());
  Factor product{value, pair(inner, sum.inner[0], sum.inner[1]).result()};
  if (transpose) {
    Labels before = product.labels;
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      product.labels[i] = before[dim];
  }
  sum.outer = sum.factor(op->getOperand(1 - position));
  sum.isOuterLeft = position == 1;
  if (sum.isOuterLeft) { // the labels of the inner product stay: rename those of the other operand
    auto share = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
      for (auto [i, j] : llvm::zip_equal(left, right))
        sum.outer.labels[i] = product.labels[j];
    };
    share(op.getLhsContract(), op.getRhsContract());
    share(op.getLhsBatch(), op.getRhsBatch());
    sum.result = pair(op, sum.outer, product).result();
  } else {
    sum.result = pair(op, product, sum.outer).result();
  }
  return sum;
}

namespace {
/// An order of the three factors: `first` by `second`, then that by `third`.
struct Order {
  Factor first, second, third;

  bool isKeptInside(const Sum &sum, unsigned label) const { return third.has(label) || llvm::is_contained(sum.result, label); }

  Product inside(const Sum &sum) const {
    return Product(first, second, [&](unsigned label) { return isKeptInside(sum, label); });
  }
  Product outside(const Sum &sum, const Labels &labels) const {
    return Product({{}, labels}, third, [&](unsigned label) { return llvm::is_contained(sum.result, label); });
  }

  /// Counts multiplications, and kTraffic for each element that is read or written.
  double cost(const Sum &sum, int64_t named) const {
    Product in = inside(sum);
    Labels middle = in.result();
    auto costOf = [&](const Labels &lhs, const Labels &rhs, const Product &product) {
      Labels all = product.result();
      double moved = sum.elements(lhs, named) + sum.elements(rhs, named) + sum.elements(all, named);
      llvm::append_range(all, product.contracted);
      return sum.elements(all, named) + kTraffic * moved;
    };
    return costOf(first.labels, second.labels, in) + costOf(middle, third.labels, outside(sum, middle));
  }

private:
  static constexpr double kTraffic = 8;
};
} // namespace

/// Emits a product; by an elementwise op if it contracts nothing and the factors share dimensions.
static Factor emit(const Sum &sum, const Factor &lhs, const Factor &rhs, const Product &product, Location loc,
                   PatternRewriter &rewriter) {
  auto places = [](const Labels &labels, const Labels &in) {
    return llvm::to_vector(
        llvm::map_range(labels, [&](unsigned label) { return int64_t(llvm::find(in, label) - in.begin()); }));
  };
  Labels result = product.result();
  if (!product.contracted.empty() || product.batch.empty())
    return {DotGeneralOp::create(rewriter, loc, lhs.value, rhs.value, places(product.contracted, lhs.labels),
                                 places(product.contracted, rhs.labels), places(product.batch, lhs.labels),
                                 places(product.batch, rhs.labels)),
            result};
  Dims dims = llvm::map_to_vector(result, [&](unsigned label) { return sum.extents[label]; });
  auto spread = [&](const Factor &factor) -> Value {
    Labels ascending; // a broadcast's dimensions ascend in the result
    for (unsigned label : result)
      if (factor.has(label))
        ascending.push_back(label);
    Value value = factor.value;
    if (ascending != factor.labels)
      value = TransposeOp::create(rewriter, loc, value, places(ascending, factor.labels));
    if (ascending.size() == result.size())
      return value;
    return BroadcastOp::create(rewriter, loc, value, places(ascending, result), shapeOf(rewriter.getContext(), dims));
  };
  Value left = spread(lhs), right = spread(rhs);
  return {MulOp::create(rewriter, loc, left, right), result};
}

namespace {
struct OrderProducts : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    for (unsigned position : {0u, 1u}) {
      std::optional<Sum> sum = Sum::read(op, position);
      if (!sum)
        continue;
      Order given{sum->inner[0], sum->inner[1], sum->outer};
      for (unsigned i : {0u, 1u}) {
        Order other{sum->outer, sum->inner[i], sum->inner[1 - i]};
        if (!isCheaper(*sum, other, given))
          continue;
        explain(op.getLoc(), "products", "the product of three factors is computed in another order");
        rewriter.replaceOp(op, inOrder(*sum, other, op.getLoc(), rewriter));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "multiplies two factors, or has the cheapest order");
  }

private:
  // The new order must save a tenth: the count is not exact, and the pattern must come to an end.
  static constexpr double kGain = 0.9;
  static constexpr int64_t kFewRows = 8, kManyRows = 4096;

  static bool isCheaper(const Sum &sum, const Order &other, const Order &given) {
    return llvm::all_of(ArrayRef<int64_t>{kFewRows, kManyRows},
                        [&](int64_t named) { return other.cost(sum, named) < kGain * given.cost(sum, named); });
  }

  static Value inOrder(const Sum &sum, const Order &order, Location loc, PatternRewriter &rewriter) {
    auto emitFrom = [&](const Factor &a, const Factor &b, llvm::function_ref<bool(unsigned)> isKept) {
      Product straight(a, b, isKept), swapped(b, a, isKept);
      return isLeft(sum, a, b, straight, swapped) ? emit(sum, a, b, straight, loc, rewriter)
                                                  : emit(sum, b, a, swapped, loc, rewriter);
    };
    Factor middle = emitFrom(order.first, order.second, [&](unsigned label) { return order.isKeptInside(sum, label); });
    Factor whole = emitFrom(middle, order.third, [&](unsigned label) { return llvm::is_contained(sum.result, label); });
    if (whole.labels == sum.result)
      return whole.value;
    SmallVector<int64_t> permutation;
    for (unsigned label : sum.result)
      permutation.push_back(llvm::find(whole.labels, label) - whole.labels.begin());
    return TransposeOp::create(rewriter, loc, whole.value, permutation);
  }

  /// True if a factor's last dimension is contracted.
  static bool isContiguous(const Factor &factor, const Product &product) {
    return !factor.labels.empty() && llvm::is_contained(product.contracted, factor.labels.back());
  }

  /// True if factor `a` of a product is to be its left operand.
  static bool isLeft(const Sum &sum, const Factor &a, const Factor &b, const Product &straight, const Product &swapped) {
    // A matrix is left of a vector if its rows are contracted, else right of it: kernels read it in order both times.
    if (straight.rhsFree.empty())
      return isContiguous(a, straight);
    if (straight.lhsFree.empty())
      return !isContiguous(b, swapped);
    // Otherwise the whole result's order decides, where all of its dimensions are here.
    if (bool isStraight = straight.result() == sum.result; isStraight || swapped.result() == sum.result)
      return isStraight;
    bool isWhole = straight.result().size() == sum.result.size() &&
                   llvm::all_of(sum.result, [&](unsigned label) { return llvm::is_contained(straight.result(), label); });
    if (isWhole) // a transpose follows anyway: the factor with fewer rows is the one that kernels keep in caches, and copy
      return sum.elements(straight.lhsFree, kManyRows) >= sum.elements(straight.rhsFree, kManyRows);
    auto place = [&](const Labels &labels) {
      return llvm::find_if(sum.result, [&](unsigned label) { return llvm::is_contained(labels, label); });
    };
    return place(straight.lhsFree) <= place(straight.rhsFree);
  }
};

/// Counts the products that got another order.
struct Counter : RewriterBase::Listener {
  using RewriterBase::Listener::notifyOperationReplaced;
  void notifyOperationReplaced(Operation *op, ValueRange) override { replaced += isa<DotGeneralOp>(op); }
  unsigned replaced = 0;
};

struct OrderProductsPass : lathe::impl::OrderProductsPassBase<OrderProductsPass> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<OrderProducts>(&getContext());
    Counter counter;
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), GreedyRewriteConfig().setListener(&counter))))
      return signalPassFailure();
    reordered += counter.replaced;
  }
};
} // namespace
