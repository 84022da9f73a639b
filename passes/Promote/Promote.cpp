#include "passes/Promote/Promote.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Control.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lathe {
#define GEN_PASS_DEF_PROMOTEPASS
#include "passes/Promote/Promote.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

static bool isHalfTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isHalf(tensor.getElementType());
}

static Value inSingle(OpBuilder &builder, Location location, Value value) {
  return isHalfTensor(value.getType()) ? ConvertOp::create(builder, location, value, builder.getF32Type()) : value;
}

/// Converts through f32, which holds every half, if neither side is f32 or f64.
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

/// True if the op orders elements of its operands, to select some or to return their indices.
static bool comparesElements(Operation *op) {
  auto isExtremum = [](auto kind) { return kind == decltype(kind)::Max || kind == decltype(kind)::Min; };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ArgmaxOp, ArgminOp, SortOp, ArgsortOp, TopKOp>([](auto) { return true; })
      .Case<ReduceOp, CumulativeOp, ScatterOp, ReduceWindowOp, WindowIndexOp>(
          [&](auto extremum) { return isExtremum(extremum.getKind()); })
      .Default(false);
}

/// Converts unsigned integers to signed ones of the same order by inverting the top bits, and back.
static Value inverted(OpBuilder &builder, Location location, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  auto withTop = [&](Value integers) -> Value {
    unsigned width = element.getIntOrFloatBitWidth();
    Type bits = builder.getIntegerType(width);
    Value top = emitScalar(builder, location, builder.getIntegerAttr(bits, APInt::getSignedMinValue(width)));
    Value everywhere =
        BroadcastOp::create(builder, location, top, ArrayRef<int64_t>(), shapeOf(builder.getContext(), dimsOf(type)));
    return XorOp::create(builder, location, integers, everywhere);
  };
  if (element.isUnsignedInteger()) // converts to unsigned
    return ConvertOp::create(builder, location, withTop(value), element);
  return withTop(ConvertOp::create(builder, location, value, element));
}

/// Converts the operands of comparing ops: comparisons inside kernels are of signed integers.
static void orderAsSigned(Operation *op, OpBuilder &builder) {
  auto unsignedElement = [](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element.isUnsignedInteger() ? element : Type();
  };
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (Type element = unsignedElement(operand))
      mapping.map(operand, inverted(builder, op->getLoc(), operand, scalarOf(element)));
  Operation *ordered = builder.clone(*op, mapping);
  for (auto [old, result] : llvm::zip_equal(op->getResults(), ordered->getResults())) {
    Type element = unsignedElement(old);
    if (element)
      result.setType(tensorOf(dimsOf(old), scalarOf(element)));
    old.replaceAllUsesWith(element ? inverted(builder, op->getLoc(), result, element) : Value(result));
  }
  op->erase();
}

namespace {
struct Promote : lathe::impl::PromotePassBase<Promote> {
  void runOnOperation() final {
    SmallVector<Operation *> ops;
    getOperation().getBody().walk([&](Operation *op) {
      if (!isControl(op)) // carries and stacks stay unchanged
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      if (comparesElements(op) && getElementTypeOrSelf(op->getOperand(0).getType()).isUnsignedInteger()) {
        orderAsSigned(op, builder);
        ++ordered;
        continue;
      }
      bool hasHalf = llvm::any_of(op->getOperandTypes(), isHalfTensor) || llvm::any_of(op->getResultTypes(), isHalfTensor);
      if (!hasHalf || op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<MovesElementsTrait>() || isa<ConstantOp>(op) ||
          isReport(op) || isa<CollectiveOpInterface>(op)) // communicators add halves in f32
        continue;
      if (auto convert = dyn_cast<ConvertOp>(op)) {
        promoteConvert(convert, builder);
        continue;
      }
      promote(op, builder);
      ++promoted;
    }
  }
};
} // namespace
