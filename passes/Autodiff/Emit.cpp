#include "passes/Autodiff/Emit.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/EqualSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

SmallVector<int64_t> autodiff::otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      others.push_back(i);
  return others;
}

/// True for a splat of 1: a seed of 1 is multiplied many times on its way back.
static bool isOne(Value value) {
  if (auto spread = value.getDefiningOp<BroadcastOp>())
    value = spread.getOperand();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return splat && isa<FloatType>(splat.getElementType()) && splat.getSplatValue<APFloat>().isExactlyValue(1.0);
}

Value Emit::mul(Value a, Value b) { return isOne(a) ? b : isOne(b) ? a : make<MulOp>(a, b); }

Value Emit::splat(RankedTensorType type, double number) {
  if (!type.hasStaticShape())
    return broadcast(scalar(type.getElementType(), number), {}, dimsOf(type));
  return constant(DenseElementsAttr::get(type, Attribute(numberAttr(type.getElementType(), number))));
}

Value Emit::integer(Type element, int64_t number) {
  auto value = builder.getIntegerAttr(element, number);
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, element), Attribute(value)));
}

Value Emit::constant(DenseElementsAttr value) {
  Value &made = constants[value];
  if (!made)
    made = ConstantOp::create(builder, location, value);
  return made;
}

Value Emit::broadcast(Value value, ArrayRef<int64_t> dims, const Dims &to) {
  if (auto inner = value.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> both;
    for (int64_t dim : inner.getDims())
      both.push_back(dims[dim]);
    return make<BroadcastOp>(inner.getOperand(), both, shape(to));
  }
  return make<BroadcastOp>(value, dims, shape(to));
}

Value Emit::reshape(Value value, const Dims &to, ReshapeOp like) {
  if (!like || !like.getChecked())
    return make<ReshapeOp>(value, shape(to));
  Value made = make<ReshapeOp>(value, shape(to), /*checked=*/true, like.getEach());
  if (Attribute neededBy = like->getAttr(kNeededByAttr); neededBy && made.getDefiningOp<ReshapeOp>())
    made.getDefiningOp()->setAttr(kNeededByAttr, neededBy);
  return made;
}

Value Emit::pad(Value value, ArrayRef<Dim> low, ArrayRef<Dim> high, ArrayRef<int64_t> interior, double filler) {
  auto isZero = [](const Dim &amount) { return amount.isStatic(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero) && llvm::all_of(asDims(interior), isZero))
    return value;
  return make<PadOp>(value, scalar(typeOf(value).getElementType(), filler), shape(low), shape(high), interior);
}

Value Emit::reduceSum(Value value, ArrayRef<int64_t> dims) {
  auto inner = value.getDefiningOp<ReduceOp>();
  if (!inner || inner.getKind() != ReduceKind::Sum || dims.empty() || !value.use_empty())
    return make<ReduceOp>(ReduceKind::Sum, value, dims);
  // Merges two nested sums if the inner one was just created.
  SmallVector<int64_t> kept = otherDims(typeOf(inner.getOperand()).getRank(), inner.getDims()), both(inner.getDims());
  for (int64_t dim : dims)
    both.push_back(kept[dim]);
  llvm::sort(both);
  return make<ReduceOp>(ReduceKind::Sum, inner.getOperand(), both);
}

Value Emit::spread(Value reduced, RankedTensorType full, ArrayRef<int64_t> dims) {
  return dims.empty() ? reduced : broadcast(reduced, otherDims(full.getRank(), dims), dimsOf(full));
}

Value Emit::sizeOf(const Dim &dim) {
  if (dim.isStatic())
    return integer(builder.getI64Type(), dim.constant());
  // Any tensor with this dimension has its size; it is never materialised.
  return make<DimSizeOp>(broadcast(scalar(builder.getF32Type(), 0), {}, {dim}), 0);
}

Value Emit::fail(Operation *op, const Twine &reason) {
  if (!failedOnce)
    op->emitError("'") << op->getName() << "' " << reason;
  failedOnce = true;
  return {};
}
