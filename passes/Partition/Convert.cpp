#include "passes/Partition/Convert.h"
#include "lib/Support/Explain.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

static bool isElementwise(Operation *op) { return op && op->hasTrait<ElementwiseTrait>() && op->getNumResults() == 1; }

void Converter::set(Value value, const Sharding &sharding, bool early) {
  known[value].sharding = sharding;
  known[value].early = early;
}

ShapeAttr Converter::sizeOf(StringAttr axis) const { return shapeOf(axis.getContext(), asDims({axes.at(axis.str())})); }

/// Places new ops behind a value.
void Converter::place(Value behind) {
  location = behind.getLoc();
  builder.setInsertionPointAfterValue(behind);
}

Value Converter::convert(Value value, const Sharding &to) {
  Known &entry = known[value];
  if (entry.sharding == to)
    return value;
  for (auto &[sharding, other] : entry.others)
    if (sharding == to)
      return other;
  Sharding from = entry.sharding, combined = from.combined();
  Value made;
  if (entry.early && !from.partial.empty() && to != combined)
    made = convert(convert(value, combined), to);
  else
    made = make(value, from, to);
  if (made == value) // the value itself is never an alias of another sharding
    return value;
  known[value].others.push_back({to, made});
  Known &own = known[made];
  if (own.sharding.dims.empty())
    own.sharding = to;
  if (to.partial.empty() && from.isSplit() && to.isWhole())
    own.others.push_back({from, value}); // a cut of what was gathered
  return made;
}

Value Converter::make(Value value, const Sharding &from, const Sharding &to) {
  Sharding now = from;
  Value result = value;
  for (StringAttr axis : from.partial)
    if (!llvm::is_contained(to.partial, axis))
      result = reduce(result, now, axis, to);
  for (int64_t dim = 0; dim < int64_t(now.dims.size()); ++dim)
    if (now.dims[dim] && now.dims[dim] != to.dims[dim])
      result = gather(result, now, dim, to);
  for (StringAttr axis : to.partial)
    if (!llvm::is_contained(now.partial, axis)) {
      result = addend(result, axis);
      now.addPartial(axis);
    }
  return now == to ? result : cut(result, now, to);
}

Value Converter::addend(Value value, StringAttr axis) {
  place(value);
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  Value index = create<AxisIndexOp>(axis.getValue(), sizeOf(axis));
  Value isFirst = create<CompareOp>(CompareKind::EQ, index, create<ConstantOp>(DenseElementsAttr::get(scalar, int64_t(0))));
  Value zero = create<ConstantOp>(cast<ElementsAttr>(builder.getZeroAttr(value.getType())));
  return create<SelectOp>(isFirst, value, zero);
}

Value Converter::reduce(Value value, Sharding &now, StringAttr axis, const Sharding &to) {
  place(value);
  now.partial.erase(llvm::find(now.partial, axis));
  int dim = to.dimOf(axis);
  ++counts.reductions;
  if (dim >= 0 && !now.dims[dim]) {
    now.dims[dim] = axis;
    explain(location, "shard", "reduce_scatter {} of {} over '{}': {}", stringifyCollectiveKind(now.kind).str(),
            str(dimsOf(value)), axis.str(), bytesOf(value.getType()));
    return create<ReduceScatterOp>(now.kind, value, dim, axis.getValue(), sizeOf(axis));
  }
  explain(location, "shard", "all_reduce {} of {} over '{}': {}", stringifyCollectiveKind(now.kind).str(), str(dimsOf(value)),
          axis.str(), bytesOf(value.getType()));
  return create<AllReduceOp>(now.kind, value, axis.getValue(), sizeOf(axis));
}

Value Converter::gather(Value value, Sharding &now, int64_t dim, const Sharding &to) {
  place(value);
  StringAttr axis = now.dims[dim];
  now.dims[dim] = nullptr;
  int other = to.dimOf(axis);
  if (other >= 0 && !now.dims[other]) {
    now.dims[other] = axis;
    ++counts.exchanges;
    explain(location, "shard", "all_to_all of {} over '{}', from dimension {} to {}: {}", str(dimsOf(value)), axis.str(), dim,
            other, bytesOf(value.getType()));
    return create<AllToAllOp>(value, other, dim, axis.getValue(), sizeOf(axis));
  }
  ++counts.gathers;
  Value whole = create<AllGatherOp>(value, dim, axis.getValue(), sizeOf(axis));
  explain(location, "shard", "all_gather of {} over '{}', along dimension {}: {}", str(dimsOf(value)), axis.str(), dim,
          bytesOf(whole.getType()));
  return whole;
}

Value Converter::cut(Value value, const Sharding &now, const Sharding &to) {
  if (now.isWhole())
    if (Value made = cutSource(value, to))
      return made;
  return dynamicCut(value, now, to);
}

/// Returns the block of a whole value, made of blocks of what the value is made of; null if that would not take less work.
Value Converter::cutSource(Value value, const Sharding &to) {
  Operation *op = value.getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  if (auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr()) {
    place(value);
    return create<ConstantOp>(splat.resizeSplat(blockOf(value.getType(), to, axes)));
  }
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return cutBroadcast(broadcast, to);
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
    Sharding source(transpose.getOperand().getType());
    for (auto [target, dim] : llvm::enumerate(transpose.getPermutation()))
      source.dims[dim] = to.dims[target];
    Value block = convert(transpose.getOperand(), source);
    place(value);
    return create<TransposeOp>(block, transpose.getPermutation());
  }
  return isElementwise(op) && value.hasOneUse() ? cutElements(op, to) : Value();
}

Value Converter::cutBroadcast(BroadcastOp op, const Sharding &to) {
  Sharding source(op.getOperand().getType());
  Dims from = dimsOf(op.getOperand()), shape = dimsOf(op.getResult());
  for (auto [dim, target] : llvm::enumerate(op.getDims()))
    if (from[dim] == shape[target])
      source.dims[dim] = to.dims[target];
  Value block = convert(op.getOperand(), source);
  place(op.getResult());
  RankedTensorType type = blockOf(op.getType(), to, axes);
  return create<BroadcastOp>(block, op.getDims(), shapeOf(op.getContext(), dimsOf(type)));
}

Value Converter::cutElements(Operation *op, const Sharding &to) {
  Value value = op->getResult(0);
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) { return dimsOf(cast<RankedTensorType>(type)) != dimsOf(value); }))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(convert(operand, to));
  place(value);
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(blockOf(value.getType(), to, axes));
  return made->getResult(0);
}

Value Converter::dynamicCut(Value value, const Sharding &now, const Sharding &to) {
  place(value);
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  auto number = [&](int64_t constant) { return create<ConstantOp>(DenseElementsAttr::get(scalar, constant)); };
  Dims sizes = dimsOf(value);
  SmallVector<Value> starts;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    StringAttr axis = to.dims[dim];
    if (!axis || axis == now.dims[dim]) {
      starts.push_back(number(0));
      continue;
    }
    size = *size.dividedBy(axes.at(axis.str()));
    starts.push_back(create<MulOp>(create<AxisIndexOp>(axis.getValue(), sizeOf(axis)), number(size.constant())));
  }
  return create<DynamicSliceOp>(value, starts, shapeOf(builder.getContext(), sizes));
}
