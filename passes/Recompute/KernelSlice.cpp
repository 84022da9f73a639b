#include "passes/Recompute/KernelSlice.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;

static RankedTensorType sliceTypeOf(Value value) { return sliceOf(cast<RankedTensorType>(value.getType()), 0); }

/// Returns a list of dimensions without dimension 0, as a slice along it counts the others.
static SmallVector<int64_t> inSlice(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> left;
  for (int64_t dim : dims)
    if (dim > 0)
      left.push_back(dim - 1);
  return left;
}

KernelSlice::KernelSlice(OpResult whole)
    : kernel(dyn_cast<KernelOp>(whole.getOwner())), body(new Block), builder(whole.getContext()) {
  if (!kernel || kernel->hasAttr(kRowsAttr) || kernel->hasAttr(kItemsAttr) || kernel->hasAttr(kSizedUnitsAttr) ||
      isOnDevice(kernel))
    return;
  steps = dimsOf(whole).front();
  builder.setInsertionPointToEnd(body);
  result = sliced(kernel.getBody().front().getTerminator()->getOperand(whole.getResultNumber()));
  if (result)
    YieldOp::create(builder, kernel.getLoc(), result);
}

KernelOp KernelSlice::create(ValueRange values) {
  OpBuilder outside(kernel.getContext());
  auto made = KernelOp::create(outside, kernel.getLoc(), TypeRange(result.getType()), values);
  made->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  made.getBody().push_back(body);
  body = nullptr;
  return made;
}

Value KernelSlice::argument(BlockArgument argument, bool isSliced) {
  Value outer = kernel.getOperand(argument.getArgNumber());
  operands.push_back({outer, isSliced});
  return body->addArgument(isSliced ? sliceTypeOf(outer) : outer.getType(), argument.getLoc());
}

/// Returns a value of the kernel's body as it is, or null.
Value KernelSlice::whole(Value value) {
  if (Value known = wholes.lookup(value))
    return known;
  if (auto inside = dyn_cast<BlockArgument>(value))
    return wholes[value] = argument(inside, false);
  Operation *op = value.getDefiningOp();
  if (!isa<BroadcastOp, ConstantOp>(op) && !op->hasTrait<ElementwiseTrait>())
    return {};
  IRMapping map;
  for (Value operand : op->getOperands()) {
    Value made = whole(operand);
    if (!made)
      return {};
    map.map(operand, made);
  }
  return wholes[value] = builder.clone(*op, map)->getResult(0);
}

/// Returns the slice of a value of the kernel's body whose first dimension counts the slices, or null.
Value KernelSlice::sliced(Value value) {
  if (Value known = slices.lookup(value))
    return known;
  Dims dims = dimsOf(value);
  if (dims.empty() || dims.front() != steps)
    return {};
  auto inside = dyn_cast<BlockArgument>(value);
  Value made = inside ? argument(inside, true) : slicedOf(value.getDefiningOp());
  if (made)
    slices[value] = made;
  return made;
}

Value KernelSlice::slicedOf(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return {};
    Operation *copy = builder.clone(*op);
    cast<ConstantOp>(copy).setValueAttr(splat.resizeSplat(sliceTypeOf(constant)));
    copy->getResult(0).setType(sliceTypeOf(constant));
    return copy->getResult(0);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return slicedBroadcast(broadcast);
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return slicedProduct(dot);
  if (!op->hasTrait<ElementwiseTrait>())
    return {};
  IRMapping map;
  for (Value operand : op->getOperands()) {
    Value made = sliced(operand);
    if (!made)
      return {};
    map.map(operand, made);
  }
  Operation *copy = builder.clone(*op, map);
  copy->getResult(0).setType(sliceTypeOf(op->getResult(0)));
  return copy->getResult(0);
}

Value KernelSlice::slicedBroadcast(BroadcastOp op) {
  bool hasFirst = !op.getDims().empty() && op.getDims().front() == 0;
  Value operand = hasFirst ? sliced(op.getOperand()) : whole(op.getOperand());
  if (!operand)
    return {};
  auto type = sliceTypeOf(op);
  return BroadcastOp::create(builder, op.getLoc(), type, operand, inSlice(op.getDims()),
                             shapeOf(op.getContext(), dimsOf(type)));
}

/// The rows and columns from which a product of f32 or f64 is computed in tiles, however many rows there are: each element is
/// then the same chains of products.
static constexpr int64_t kTileRows = 4, kTileColumns = 32;

/// Slices a product whose first rows are the rows of the slice. Its right operand is read as a whole.
Value KernelSlice::slicedProduct(DotGeneralOp op) {
  Dims rows = dimsOf(op.getLhs()), columns = dimsOf(op.getRhs());
  auto type = cast<RankedTensorType>(op.getType());
  if (!op.getLhsBatch().empty() || llvm::is_contained(op.getLhsContract(), 0) || op.getLhsContract().size() != 1 ||
      !(type.getElementType().isF32() || type.getElementType().isF64()) || columns.size() != 2 || op.getRhsContract()[0] != 0 ||
      op.getLhsContract()[0] != int64_t(rows.size()) - 1)
    return {};
  Dim count(1);
  for (const Dim &extent : ArrayRef(rows).drop_front().drop_back())
    count = count * extent;
  if (!count.isStatic() || count.constant() < kTileRows || !columns[1].isStatic() || columns[1].constant() < kTileColumns)
    return {};
  Value lhs = sliced(op.getLhs()), rhs = whole(op.getRhs());
  if (!lhs || !rhs)
    return {};
  auto copy = DotGeneralOp::create(builder, op.getLoc(), lhs, rhs, inSlice(op.getLhsContract()), op.getRhsContract(),
                                   op.getLhsBatch(), op.getRhsBatch());
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return copy;
}
