#include "passes/RoundProducts/RoundProducts.h"
#include "dialects/Lathe/IR/Control.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {
#define GEN_PASS_DEF_ROUNDPRODUCTSPASS
#include "passes/RoundProducts/RoundProducts.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Least rows of a product by a matrix that is not a constant. To round a matrix reads and writes as much memory as a product
/// of a few rows reads.
static constexpr int64_t kLeastRows = 64;

static bool isWidenedHalf(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  return convert && getElementTypeOrSelf(convert.getOperand().getType()).isF16();
}

/// True if the pass rounds the operands of this product.
static bool isRounded(DotGeneralOp op) {
  if (!suitsPairs(op) || isWidenedHalf(op.getLhs()) || isWidenedHalf(op.getRhs()))
    return false;
  Dims lhs = dimsOf(op.getLhs());
  Dim rows(1);
  for (const Dim &dim : ArrayRef(lhs).drop_back())
    rows = rows * dim;
  bool hasRows = isa<func::FuncOp>(op->getParentOp()) && (!rows.isStatic() || rows.constant() >= kLeastRows);
  return hasRows || isMovedConstant(op.getRhs()) || narrowOperand(op.getRhs());
}

/// Turns a constant right operand whose rows are summed, as a classifier of one image reads it, if the product then suits.
static void turnConstant(DotGeneralOp op) {
  Dims rhs = dimsOf(op.getRhs());
  bool isOfRows = rhs.size() == 2 && op.getRhsContract() == ArrayRef<int64_t>(1) && op.getRhsBatch().empty() &&
                  getElementTypeOrSelf(op.getRhs().getType()).isF32();
  if (!isOfRows || !isMovedConstant(op.getRhs()) || constOf(op.getRhs()) || !suitsPairs(rhs[1].constant(), rhs[0].constant()))
    return;
  OpBuilder builder(op);
  op.getRhsMutable().assign(TransposeOp::create(builder, op.getLoc(), op.getRhs(), ArrayRef<int64_t>{1, 0}));
  op.setRhsContract({0});
}

/// True if the pass rounds the images of this convolution where they follow a product: a depthwise one of known size, whose
/// images other ops compute. Their kernels then store and read half as much.
static bool isRoundedDepthwise(ConvOp op) {
  constexpr int64_t kMostTaps = 7; // of a line: code of longer lines may not be unrolled
  ConvolutionGeometry g = op.getGeometry();
  const Dims images = dimsOf(op.getInput()), filter = dimsOf(op.getFilter()), result = dimsOf(op.getResult());
  auto isKnown = [](const Dim &dim) { return dim.isStatic(); };
  auto isOne = [](int64_t value) { return value == 1; };
  bool isDepthwise = images.size() == 4 && g.groups > 1 && filter[2].isStatic(1) && filter[3].isStatic(g.groups) &&
                     llvm::all_of(ArrayRef(images).drop_front(), isKnown) && llvm::all_of(ArrayRef(filter), isKnown) &&
                     llvm::all_of(ArrayRef(result).drop_front(), isKnown) && llvm::all_of(g.inputDilation, isOne);
  bool isComputed = op.getInput().getDefiningOp() && !isMovedConstant(op.getInput()) && !constOf(op.getInput());
  return isDepthwise && filter[0].constant() <= kMostTaps && filter[1].constant() <= kMostTaps && isComputed &&
         isa<func::FuncOp>(op->getParentOp()) && getElementTypeOrSelf(op.getType()).isF32() && !isWidenedHalf(op.getInput()) &&
         !narrowOperand(op.getInput());
}

namespace {
struct RoundProductsPass : lathe::impl::RoundProductsPassBase<RoundProductsPass> {
  void runOnOperation() final {
    narrowed.clear();
    products.clear();
    getOperation().walk([&](DotGeneralOp op) {
      turnConstant(op);
      if (isRounded(op))
        products.insert(op);
    });
    for (Operation *product : products) {
      auto op = cast<DotGeneralOp>(product);
      OpBuilder builder(op);
      Type single = builder.getF32Type();
      for (OpOperand &operand : op->getOpOperands())
        operand.set(ConvertOp::create(builder, op.getLoc(), narrow(operand.get()), single));
      op->setAttr(kPairsAttr, builder.getUnitAttr());
      ++rounded;
      explain(op.getLoc(), "layout",
              "--math=fast: the operands of the product are rounded to bf16, and products are added in pairs");
    }
    roundDepthwise();
  }

private:
  /// Rounds the images of depthwise convolutions that products and elementwise ops behind them compute, and that nothing else
  /// reads.
  void roundDepthwise() {
    SmallVector<ConvOp> convolutions;
    getOperation().walk([&](ConvOp op) {
      if (isRoundedDepthwise(op) && op.getInput().hasOneUse() && followsProduct(op.getInput()))
        convolutions.push_back(op);
    });
    for (ConvOp op : convolutions) {
      OpBuilder builder(op);
      Value half = narrow(op.getInput());
      op.getInputMutable().assign(ConvertOp::create(builder, op.getLoc(), half, builder.getF32Type()));
      op->setAttr(kNarrowImagesAttr, builder.getUnitAttr());
      ++images;
      explain(op.getLoc(), "layout", "--math=fast: the images of the convolution are rounded to bf16");
    }
  }

  /// True if the value is the result of a rounded product and of elementwise ops that its kernel computes.
  bool followsProduct(Value value) {
    constexpr int kMostOps = 16;
    for (int i = 0; i < kMostOps; ++i) {
      Operation *op = value.getDefiningOp();
      if (!op || products.contains(op))
        return bool(op);
      bool isFused = op->hasTrait<ElementwiseTrait>() &&
                     llvm::all_of(op->getUsers(), [&](Operation *user) { return user->getBlock() == op->getBlock(); });
      if (!isFused && !isa<ReshapeOp>(op))
        return false;
      auto isLarge = [&](Value operand) {
        return !operand.getDefiningOp<BroadcastOp>() && !operand.getDefiningOp<ConstantOp>();
      };
      auto large = llvm::find_if(op->getOperands(), isLarge);
      if (large == op->operand_end())
        return false;
      value = *large;
    }
    return false;
  }

  /// True if nothing but these products reads the value, moved or not.
  bool isForProducts(Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return products.contains(user) || (movesElements(user) && isForProducts(user->getResult(0)));
    });
  }

  /// Returns the value rounded to bf16, next to where it is computed. Ops that only move elements move the rounded ones.
  Value narrow(Value value) {
    if (Value known = narrowOperand(value))
      return known;
    if (Value known = narrowed.lookup(value))
      return known;
    if (Value outer = isMovedConstant(value) ? constOf(value) : Value()) // rounded once, not in each step
      return bringInto(value.getParentBlock(), narrow(outer));
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(value);
    Type half = builder.getBF16Type();
    Operation *op = value.getDefiningOp();
    Value result;
    if (movesElements(op) && isForProducts(value)) {
      IRMapping map;
      map.map(op->getOperand(0), narrow(op->getOperand(0)));
      Operation *moved = builder.clone(*op, map);
      result = moved->getResult(0);
      result.setType(cast<RankedTensorType>(result.getType()).clone(half));
    } else {
      result = ConvertOp::create(builder, value.getLoc(), value, half);
    }
    return narrowed[value] = result;
  }

  llvm::SetVector<Operation *> products;
  DenseMap<Value, Value> narrowed;
};
} // namespace
