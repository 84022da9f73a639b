#include "passes/Promote/Promote.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace lathe;

static bool isHalfTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isHalf(tensor.getElementType());
}

static Value inSingle(OpBuilder &builder, Location location, Value value) {
  return isHalfTensor(value.getType()) ? ConvertOp::create(builder, location, value, builder.getF32Type()) : value;
}

/// Where neither side is f32 or f64: through f32, which has every half.
static void promoteConvert(ConvertOp op, OpBuilder &builder) {
  Type from = getElementTypeOrSelf(op.getOperand().getType()), to = op.getTo();
  auto isWide = [](Type type) { return type.isF32() || type.isF64(); };
  if (isWide(from) || isWide(to))
    return;
  Value single = ConvertOp::create(builder, op.getLoc(), op.getOperand(), builder.getF32Type());
  op.getOperandMutable().assign(single);
}

static void promote(Operation *op, OpBuilder &builder) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, inSingle(builder, op->getLoc(), operand));
  Operation *single = builder.clone(*op, mapping);
  for (NamedAttribute attr : op->getAttrs()) // an iota's element type
    if (auto type = dyn_cast<TypeAttr>(attr.getValue()); type && isHalf(type.getValue()))
      single->setAttr(attr.getName(), TypeAttr::get(builder.getF32Type()));
  for (auto [old, result] : llvm::zip_equal(op->getResults(), single->getResults())) {
    if (isHalfTensor(old.getType())) {
      auto type = cast<RankedTensorType>(old.getType());
      result.setType(tensorOf(dimsOf(type), builder.getF32Type()));
      old.replaceAllUsesWith(ConvertOp::create(builder, op->getLoc(), result, type.getElementType()));
    } else {
      old.replaceAllUsesWith(result);
    }
  }
  op->erase();
}

namespace {
struct Promote : PassWrapper<Promote, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Promote)
  StringRef getArgument() const final { return "lathe-promote"; }
  StringRef getDescription() const final {
    return "Computes on halves in f32. Requires inferred types; guarantees that only moves and conversions have halves";
  }

  void runOnOperation() final {
    for (Operation &op : llvm::make_early_inc_range(getOperation().getBody().getOps())) {
      bool hasHalf = llvm::any_of(op.getOperandTypes(), isHalfTensor) || llvm::any_of(op.getResultTypes(), isHalfTensor);
      if (!hasHalf || op.hasTrait<OpTrait::IsTerminator>() || op.hasTrait<MovesElementsTrait>() || isa<ConstantOp>(op))
        continue;
      OpBuilder builder(&op);
      if (auto convert = dyn_cast<ConvertOp>(op))
        promoteConvert(convert, builder);
      else
        promote(&op, builder);
    }
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createPromotePass() { return std::make_unique<Promote>(); }
void lathe::registerPromotePasses() { PassRegistration<Promote>(); }
