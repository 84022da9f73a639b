#include "passes/KeyBlocks/ScoresOfBlock.h"
#include "dialects/Lathe/IR/Constants.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

ScoresOfBlock::ScoresOfBlock(Value scores, int64_t keysDim) : scores(scores) { collect(scores, keysDim); }

void ScoresOfBlock::addInput(Value value, int64_t keysDim) {
  auto [entry, isNew] = keysOf.try_emplace(value, keysDim);
  if (isNew)
    inputs.push_back({value, keysDim});
  isConsistent &= entry->second == keysDim;
}

/// Returns the dimension of a broadcast's operand that becomes this one of the result; -1 if the operand is repeated along it.
static int64_t operandDim(BroadcastOp op, int64_t dim) {
  auto place = llvm::find(op.getDims(), dim);
  if (place == op.getDims().end())
    return -1;
  int64_t from = place - op.getDims().begin();
  return dimsOf(op.getOperand())[from] == dimsOf(op.getResult())[dim] ? from : -1;
}

/// Returns the dimension of a product's operand that becomes this free one of the result; -1 if another operand has it.
static std::pair<int64_t, int64_t> factorDims(DotGeneralOp op, int64_t dim) {
  auto freeOf = [](Value operand, ArrayRef<int64_t> contract, ArrayRef<int64_t> batch) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0, rank = dimsOf(operand).size(); i < rank; ++i)
      if (!llvm::is_contained(contract, i) && !llvm::is_contained(batch, i))
        dims.push_back(i);
    return dims;
  };
  SmallVector<int64_t> lhs = freeOf(op.getLhs(), op.getLhsContract(), op.getLhsBatch());
  SmallVector<int64_t> rhs = freeOf(op.getRhs(), op.getRhsContract(), op.getRhsBatch());
  int64_t batch = op.getLhsBatch().size(), lhsFree = lhs.size();
  if (dim < batch)
    return {op.getLhsBatch()[dim], op.getRhsBatch()[dim]};
  return dim < batch + lhsFree ? std::pair(lhs[dim - batch], int64_t(-1)) : std::pair(int64_t(-1), rhs[dim - batch - lhsFree]);
}

/// Adds the ops that compute a value, operands first.
void ScoresOfBlock::collect(Value value, int64_t keysDim) {
  if (auto known = keysOf.find(value); known != keysOf.end()) {
    isConsistent &= known->second == keysDim;
    return;
  }
  Operation *op = value.getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  bool isSplat = constant && constant.getValue().isSplat();
  bool isInside = op && (isa<BroadcastOp, DotGeneralOp, IotaOp>(op) || op->hasTrait<ElementwiseTrait>() || isSplat);
  if (keysDim < 0 && !isSplat && !isa_and_present<IotaOp>(op)) // the same for all blocks
    return addInput(value, keysDim);
  if (!isInside)
    return addInput(value, keysDim);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](BroadcastOp broadcast) { collect(broadcast.getOperand(), operandDim(broadcast, keysDim)); })
      .Case([&](DotGeneralOp dot) {
        auto [lhs, rhs] = factorDims(dot, keysDim);
        addInput(dot.getLhs(), lhs);
        addInput(dot.getRhs(), rhs);
        hasProduct = true;
      })
      .Default([&](Operation *other) {
        for (Value operand : other->getOperands())
          collect(operand, keysDim);
      });
  if (keysOf.try_emplace(value, keysDim).second)
    ops.push_back(op);
}

Value ScoresOfBlock::emit(OpBuilder &builder, ValueRange parts, Value first, int64_t count) const {
  IRMapping map;
  for (auto [input, part] : llvm::zip_equal(inputs, parts))
    map.map(input.value, part);
  for (Operation *op : ops) {
    Value result = op->getResult(0);
    int64_t keysDim = keysOf.lookup(result);
    Dims dims = dimsOf(result);
    if (keysDim >= 0)
      dims[keysDim] = Dim(count);
    RankedTensorType type = tensorOf(dims, getElementTypeOrSelf(result.getType()));
    ShapeAttr shape = shapeOf(builder.getContext(), dims);
    Value made =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case([&](BroadcastOp broadcast) -> Value {
              return BroadcastOp::create(builder, op->getLoc(), map.lookup(broadcast.getOperand()), broadcast.getDims(), shape);
            })
            .Case([&](ConstantOp constant) -> Value {
              auto number = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>();
              if (dims.empty())
                return emitScalar(builder, op->getLoc(), number);
              return BroadcastOp::create(builder, op->getLoc(), emitScalar(builder, op->getLoc(), number), ArrayRef<int64_t>(),
                                         shape);
            })
            .Case([&](IotaOp iota) -> Value {
              Value index = IotaOp::create(builder, op->getLoc(), iota.getDim(), shape, iota.getElement());
              if (int64_t(iota.getDim()) != keysDim)
                return index;
              Value start = first;
              if (iota.getElement() != builder.getI32Type())
                start = ConvertOp::create(builder, op->getLoc(), start, iota.getElement());
              return AddOp::create(builder, op->getLoc(), index,
                                   BroadcastOp::create(builder, op->getLoc(), start, ArrayRef<int64_t>(), shape));
            })
            .Default([&](Operation *other) -> Value {
              Operation *copy = builder.clone(*other, map);
              copy->getResult(0).setType(type);
              return copy->getResult(0);
            });
    map.map(result, made);
  }
  return map.lookup(scores);
}
