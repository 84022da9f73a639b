#include "passes/RoundProducts/RoundProducts.h"
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

/// True if the op only moves the elements of its operand.
static bool movesElements(Operation *op) { return isa_and_nonnull<ReshapeOp, TransposeOp>(op); }

/// True if the value becomes a constant when constants are folded.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  while (movesElements(op) || isa_and_nonnull<ConvertOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ConstantOp>(op);
}

static bool isWidenedHalf(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  return convert && getElementTypeOrSelf(convert.getOperand().getType()).isF16();
}

/// True if the pass rounds the operands of this product.
static bool isRounded(DotGeneralOp op) {
  if (!suitsPairs(op) || !isa<func::FuncOp>(op->getParentOp()) || isWidenedHalf(op.getLhs()) || isWidenedHalf(op.getRhs()))
    return false;
  Dims lhs = dimsOf(op.getLhs());
  Dim rows(1);
  for (const Dim &dim : ArrayRef(lhs).drop_back())
    rows = rows * dim;
  bool hasRows = !rows.isStatic() || rows.constant() >= kLeastRows;
  return hasRows || isConstant(op.getRhs()) || narrowOperand(op.getRhs());
}

namespace {
struct RoundProductsPass : lathe::impl::RoundProductsPassBase<RoundProductsPass> {
  void runOnOperation() final {
    narrowed.clear();
    products.clear();
    getOperation().walk([&](DotGeneralOp op) {
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
  }

private:
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
