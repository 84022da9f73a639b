#include "passes/KeyBlocks/BlockOps.h"
#include "dialects/Lathe/IR/Constants.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

SmallVector<int64_t> lathe::freeDimsOf(Value operand, ArrayRef<int64_t> contract, ArrayRef<int64_t> batch) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0, rank = dimsOf(operand).size(); i < rank; ++i)
    if (!llvm::is_contained(contract, i) && !llvm::is_contained(batch, i))
      dims.push_back(i);
  return dims;
}

static LoopDims ofBroadcast(BroadcastOp op, ArrayRef<int64_t> ofResult) {
  Dims from = dimsOf(op.getOperand()), to = dimsOf(op.getResult());
  LoopDims operand;
  for (auto [i, dim] : llvm::enumerate(op.getDims())) // an index that is repeated belongs to all blocks
    operand.push_back(from[i] == to[dim] ? ofResult[dim] : kUndivided);
  return operand;
}

static SmallVector<LoopDims> ofProduct(DotGeneralOp op, ArrayRef<int64_t> ofResult) {
  size_t next = op.getLhsBatch().size(); // the result's next free dimension
  auto side = [&](Value operand, ArrayRef<int64_t> contract, ArrayRef<int64_t> batch) {
    LoopDims of(dimsOf(operand).size(), kUndivided);
    for (auto [i, dim] : llvm::enumerate(batch))
      of[dim] = ofResult[i];
    for (int64_t dim : freeDimsOf(operand, contract, batch))
      of[dim] = ofResult[next++];
    return of;
  };
  LoopDims lhs = side(op.getLhs(), op.getLhsContract(), op.getLhsBatch());
  return {lhs, side(op.getRhs(), op.getRhsContract(), op.getRhsBatch())};
}

std::optional<SmallVector<LoopDims>> lathe::loopDimsOfOperands(Operation *op, ArrayRef<int64_t> ofResult) {
  using Found = std::optional<SmallVector<LoopDims>>;
  LoopDims of(ofResult);
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](BroadcastOp broadcast) -> Found { return SmallVector<LoopDims>{ofBroadcast(broadcast, of)}; })
      .Case([&](DotGeneralOp dot) -> Found { return ofProduct(dot, of); })
      .Case([&](ReduceOp reduce) -> Found {
        for (int64_t dim : reduce.getDims()) // ascending
          of.insert(of.begin() + dim, kUndivided);
        return SmallVector<LoopDims>{of};
      })
      .Case([&](TransposeOp transpose) -> Found {
        LoopDims operand(of.size(), kUndivided);
        for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
          operand[dim] = of[i];
        return SmallVector<LoopDims>{operand};
      })
      .Case([&](ConstantOp constant) -> Found {
        return constant.getValue().isSplat() ? Found(SmallVector<LoopDims>{}) : std::nullopt;
      })
      .Case([&](IotaOp) -> Found { return SmallVector<LoopDims>{}; })
      .Default([&](Operation *other) -> Found {
        if (!other->hasTrait<ElementwiseTrait>() || other->getNumResults() != 1)
          return std::nullopt;
        return SmallVector<LoopDims>(other->getNumOperands(), of);
      });
}

// ---- Blocks

Dims lathe::blockDims(Value value, ArrayRef<int64_t> loops, ArrayRef<int64_t> counts) {
  Dims dims = dimsOf(value);
  for (auto [dim, loop] : llvm::zip_equal(dims, loops))
    if (loop != kUndivided)
      dim = Dim(counts[loop]);
  return dims;
}

static Value emitIota(OpBuilder &builder, IotaOp iota, ShapeAttr shape, int64_t loop, const BlockPlace &place) {
  Location location = iota.getLoc();
  Value index = IotaOp::create(builder, location, iota.getDim(), shape, iota.getElement());
  if (loop == kUndivided)
    return index;
  Value start = place.firsts[loop];
  if (iota.getElement() != builder.getI32Type())
    start = ConvertOp::create(builder, location, start, iota.getElement());
  return AddOp::create(builder, location, index, BroadcastOp::create(builder, location, start, ArrayRef<int64_t>(), shape));
}

Value lathe::emitInBlock(OpBuilder &builder, Operation *op, ArrayRef<int64_t> ofResult, const BlockPlace &place,
                         const IRMapping &map) {
  Location location = op->getLoc();
  Dims dims = blockDims(op->getResult(0), ofResult, place.counts);
  ShapeAttr shape = shapeOf(builder.getContext(), dims);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](BroadcastOp broadcast) -> Value {
        return BroadcastOp::create(builder, location, map.lookup(broadcast.getOperand()), broadcast.getDims(), shape);
      })
      .Case([&](ConstantOp constant) -> Value {
        Value scalar = emitScalar(builder, location, cast<DenseElementsAttr>(constant.getValue()).getSplatValue<TypedAttr>());
        return dims.empty() ? scalar : BroadcastOp::create(builder, location, scalar, ArrayRef<int64_t>(), shape);
      })
      .Case([&](IotaOp iota) -> Value { return emitIota(builder, iota, shape, ofResult[iota.getDim()], place); })
      .Default([&](Operation *other) -> Value {
        Operation *copy = builder.clone(*other, const_cast<IRMapping &>(map));
        copy->getResult(0).setType(tensorOf(dims, getElementTypeOrSelf(other->getResult(0).getType())));
        return copy->getResult(0);
      });
}

Value lathe::sliceAlong(OpBuilder &builder, Location location, Value value, int64_t dim, int64_t start, int64_t end) {
  Dims limits = dimsOf(value), starts(limits.size(), Dim(0));
  starts[dim] = Dim(start);
  limits[dim] = Dim(end);
  MLIRContext *context = builder.getContext();
  return SliceOp::create(builder, location, value, shapeOf(context, starts), shapeOf(context, limits),
                         SmallVector<int64_t>(limits.size(), 1));
}

static bool areUnits(ArrayRef<Dim> dims) {
  return llvm::all_of(dims, [](const Dim &dim) { return dim.isStatic(1); });
}

Value lathe::stackBlocks(OpBuilder &builder, Location location, Value value, int64_t dim, int64_t count) {
  int64_t extent = dimsOf(value)[dim].constant(), steps = extent / count;
  if (extent % count != 0)
    value = sliceAlong(builder, location, value, dim, 0, steps * count);
  Dims dims = dimsOf(value);
  dims[dim] = Dim(count);
  if (areUnits(ArrayRef(dims).take_front(dim))) {
    dims.insert(dims.begin(), Dim(steps));
    return ReshapeOp::create(builder, location, value, shapeOf(builder.getContext(), dims));
  }
  dims.insert(dims.begin() + dim, Dim(steps));
  value = ReshapeOp::create(builder, location, value, shapeOf(builder.getContext(), dims));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  return TransposeOp::create(builder, location, value, order);
}

Value lathe::unstackBlocks(OpBuilder &builder, Location location, Value stack, int64_t dim) {
  Dims dims = dimsOf(stack);
  Value value = stack;
  if (areUnits(ArrayRef(dims).slice(1, dim))) { // the steps are adjacent
    std::rotate(dims.begin(), dims.begin() + 1, dims.begin() + 1 + dim);
  } else {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, dims.size()));
    order.insert(order.begin() + dim, 0);
    value = TransposeOp::create(builder, location, stack, order);
    dims = dimsOf(value);
  }
  Dim steps = dims[dim];
  dims.erase(dims.begin() + dim);
  dims[dim] = dims[dim] * steps;
  return ReshapeOp::create(builder, location, value, shapeOf(builder.getContext(), dims));
}

Value lathe::firstIndices(OpBuilder &builder, Location location, int64_t steps, int64_t count) {
  ShapeAttr shape = shapeOf(builder.getContext(), {Dim(steps)});
  Value number = IotaOp::create(builder, location, 0, shape, builder.getI32Type());
  Value size = emitScalar(builder, location, builder.getI32IntegerAttr(count));
  return MulOp::create(builder, location, number, BroadcastOp::create(builder, location, size, ArrayRef<int64_t>(), shape));
}

SmallVector<Operation *> lathe::dependentsBefore(ArrayRef<Value> values, Operation *point) {
  llvm::SmallDenseSet<Value> depending(values.begin(), values.end());
  SmallVector<Operation *> found;
  for (Operation &op : llvm::make_range(point->getBlock()->begin(), point->getIterator()))
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return depending.contains(operand); })) {
      found.push_back(&op);
      depending.insert(op.result_begin(), op.result_end());
    }
  return found;
}

void lathe::moveAfter(ArrayRef<Operation *> ops, Operation *point) {
  for (Operation *op : llvm::reverse(ops))
    op->moveAfter(point);
}
