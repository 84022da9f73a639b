#include "passes/Strips/StripDims.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

bool KernelInStrip::set(Value value, StripDims of) {
  auto [entry, isNew] = dims.try_emplace(value, of);
  return isNew || entry->second == of;
}

bool KernelInStrip::infer(ArrayRef<StripDims> ofResults) {
  Block &body = kernel.getBody().front();
  for (auto [yielded, ofResult] : llvm::zip_equal(body.getTerminator()->getOperands(), ofResults))
    if (!set(yielded, ofResult))
      return false;
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (op.getNumResults() != 1 || !dims.contains(op.getResult(0)) || !inferOp(op))
      return false;
  return llvm::all_of(body.getArguments(), [&](Value argument) { return dims.contains(argument); });
}

/// Finds the dimensions of the operands from those of the result.
bool KernelInStrip::inferOp(Operation &op) {
  const StripDims result = dims.find(op.getResult(0))->second;
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](BroadcastOp broadcast) { return inferBroadcast(broadcast); })
      .Case([&](ReduceOp reduce) { return inferReduce(reduce); })
      .Case([&](DotGeneralOp dot) { return inferDot(dot); })
      .Case([&](ConstantOp constant) { return constant.getValue().isSplat(); })
      .Case([&](IotaOp iota) {
        if (result[iota.getDim()] >= 0)
          iotas.push_back(iota);
        return true;
      })
      .Default([&](Operation *other) {
        return other->hasTrait<ElementwiseTrait>() &&
               llvm::all_of(other->getOperands(), [&](Value operand) { return set(operand, result); });
      });
}

bool KernelInStrip::inferBroadcast(BroadcastOp op) {
  const StripDims result = dims.find(op.getResult())->second;
  Dims from = dimsOf(op.getOperand()), to = dimsOf(op.getResult());
  StripDims operand;
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    if (from[i] == to[dim])
      operand.push_back(result[dim]);
    else // the operand's only index along the dimension
      operand.push_back(result[dim] == kWhole ? kWhole : kUnit);
  }
  return set(op.getOperand(), operand);
}

bool KernelInStrip::inferReduce(ReduceOp op) {
  StripDims operand = dims.find(op.getResult())->second;
  for (int64_t dim : op.getDims()) // ascending
    operand.insert(operand.begin() + dim, kWhole);
  return set(op.getOperand(), operand);
}

bool KernelInStrip::inferDot(DotGeneralOp op) {
  const StripDims result = dims.find(op.getResult())->second;
  size_t next = op.getLhsBatch().size(); // the result's next free dimension
  auto side = [&](Value operand, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    StripDims of(dimsOf(operand).size(), kWhole);
    for (auto [i, dim] : llvm::enumerate(batch))
      of[dim] = result[i];
    for (size_t dim = 0; dim < of.size(); ++dim)
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
        of[dim] = result[next++];
    return set(operand, of);
  };
  return side(op.getLhs(), op.getLhsBatch(), op.getLhsContract()) && side(op.getRhs(), op.getRhsBatch(), op.getRhsContract());
}

// ---- The kernel of a strip

RankedTensorType KernelInStrip::typeOf(Value value, StringRef rowsName) const {
  Dims inStrip;
  for (auto [dim, extent] : llvm::zip_equal(dims.find(value)->second, dimsOf(value)))
    if (isKept(dim))
      inStrip.push_back(dim == rows ? Dim::named(rowsName) : extent);
  return tensorOf(inStrip, getElementTypeOrSelf(value.getType()));
}

SmallVector<int64_t> KernelInStrip::renumber(Value value, ArrayRef<int64_t> dimensions) const {
  ArrayRef<StripDim> of = dims.find(value)->second;
  SmallVector<int64_t> numbers;
  for (int64_t dim : dimensions)
    if (isKept(of[dim]))
      numbers.push_back(llvm::count_if(of.take_front(dim), [&](StripDim before) { return isKept(before); }));
  return numbers;
}

Operation *KernelInStrip::createOp(Operation &op, OpBuilder &builder, const IRMapping &map, StringRef rowsName) const {
  RankedTensorType type = typeOf(op.getResult(0), rowsName);
  ShapeAttr shape = shapeOf(op.getContext(), dimsOf(type));
  return llvm::TypeSwitch<Operation *, Operation *>(&op)
      .Case([&](BroadcastOp broadcast) -> Operation * {
        SmallVector<int64_t> places;
        for (auto [dim, of] : llvm::zip_equal(broadcast.getDims(), dims.find(broadcast.getOperand())->second))
          if (isKept(of))
            places.push_back(dim);
        return BroadcastOp::create(builder, op.getLoc(), type, map.lookup(broadcast.getOperand()),
                                   renumber(broadcast.getResult(), places), shape);
      })
      .Case([&](ReduceOp reduce) -> Operation * {
        return ReduceOp::create(builder, op.getLoc(), type, reduce.getKind(), map.lookup(reduce.getOperand()),
                                renumber(reduce.getOperand(), reduce.getDims()));
      })
      .Case([&](DotGeneralOp dot) -> Operation * {
        return DotGeneralOp::create(builder, op.getLoc(), type, map.lookup(dot.getLhs()), map.lookup(dot.getRhs()),
                                    renumber(dot.getLhs(), dot.getLhsContract()), renumber(dot.getRhs(), dot.getRhsContract()),
                                    renumber(dot.getLhs(), dot.getLhsBatch()), renumber(dot.getRhs(), dot.getRhsBatch()));
      })
      .Case([&](ConstantOp constant) -> Operation * {
        auto number = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>();
        return BroadcastOp::create(builder, op.getLoc(), type, emitScalar(builder, op.getLoc(), number), ArrayRef<int64_t>(),
                                   shape);
      })
      .Case([&](IotaOp iota) -> Operation * {
        if (Value index = map.lookupOrNull(iota.getResult())) { // the rows' indices, or one index
          SmallVector<int64_t> along;
          if (dimOf(iota) == rows)
            along = renumber(iota.getResult(), int64_t(iota.getDim()));
          return BroadcastOp::create(builder, op.getLoc(), type, index, along, shape);
        }
        int64_t dim = renumber(iota.getResult(), int64_t(iota.getDim())).front();
        return IotaOp::create(builder, op.getLoc(), type, dim, shape, type.getElementType());
      })
      .Default([&](Operation *other) -> Operation * {
        Operation *copy = builder.clone(*other, const_cast<IRMapping &>(map));
        copy->getResult(0).setType(type);
        return copy;
      });
}

KernelOp KernelInStrip::create(OpBuilder &builder, ValueRange inputs, StringRef rowsName) const {
  Block &body = kernel.getBody().front();
  ValueRange results = body.getTerminator()->getOperands();
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(typeOf(result, rowsName));
  auto copy = KernelOp::create(builder, kernel.getLoc(), types, inputs);
  if (kernel->hasAttr(kRowsAttr))
    copy->setAttr(kRowsAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *inner = builder.createBlock(&copy.getBody());
  IRMapping map;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    unsigned own = body.getNumArguments();
    Value source = i < own ? Value(body.getArgument(i)) : Value(IotaOp(iotas[i - own]).getResult());
    map.map(source, inner->addArgument(input.getType(), input.getLoc()));
  }
  for (Operation &op : body.without_terminator())
    map.map(op.getResult(0), createOp(op, builder, map, rowsName)->getResult(0));
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(map.lookup(result));
  YieldOp::create(builder, kernel.getLoc(), yielded);
  return copy;
}
