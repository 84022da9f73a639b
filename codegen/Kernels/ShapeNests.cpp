// Shape ops as nests of one copy, result[indices] = operand[affine map of the indices]:
//
//   broadcast: drops indices    transpose: permutes them    slice, reverse: start + step * index
//   reshape:   divides the linear index by the operand's extents, unless only extents of 1 come or go
//   pad, concatenate: one guarded access per operand, and selects by the index in the body
//   iota, dim_size, splat constant: no access
//
// Fusion composes these maps with those of the nests that read the result, so that nothing is copied in most kernels.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Builds a nest that copies from one operand; `place` maps the result's dimensions to the operand's indices.
static Value copyAt(Operation *op, OpBuilder &builder,
                    function_ref<void(NestBuilder &, SmallVectorImpl<AffineExpr> &, NestBuilder::Guard &)> place) {
  NestBuilder nest(builder, op->getLoc(), typeOf(op->getResult(0)));
  SmallVector<AffineExpr> indices;
  NestBuilder::Guard guard;
  place(nest, indices, guard);
  nest.read(op->getOperand(0), indices, guard);
  return nest.finish(NestBuilder::firstScalar);
}

static Value lowerConstant(ConstantOp op, OpBuilder &builder) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!splat)
    return {};
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange) -> Value {
    auto value = splat.getSplatValue<TypedAttr>();
    if (auto integer = dyn_cast<IntegerAttr>(value))
      value = b.getIntegerAttr(scalarOf(integer.getType()), integer.getValue());
    return arith::ConstantOp::create(b, loc, value);
  });
}

static Value lowerBroadcast(BroadcastOp op, OpBuilder &builder) {
  return copyAt(op, builder, [&](NestBuilder &nest, SmallVectorImpl<AffineExpr> &indices, NestBuilder::Guard &) {
    Dims result = dimsOf(op.getResult());
    for (auto [extent, dim] : llvm::zip_equal(dimsOf(op.getOperand()), op.getDims())) {
      bool isRepeated =
          extent.isStatic(1) && !result[dim].isStatic(1); // a named extent is not repeated, even if its value is 1
      indices.push_back(isRepeated ? nest.constant(0) : nest.dim(dim));
    }
  });
}

/// Returns the dimensions of extents other than 1.
static SmallVector<unsigned> longDims(ArrayRef<Dim> dims) {
  SmallVector<unsigned> found;
  for (auto [i, extent] : llvm::enumerate(dims))
    if (!extent.isStatic(1))
      found.push_back(i);
  return found;
}

/// Returns the indices of a reshape's operand for those of its result. `expr` makes an expression of an extent.
static SmallVector<AffineExpr> indicesOfReshape(ArrayRef<Dim> from, ArrayRef<Dim> to, MLIRContext *context,
                                                function_ref<AffineExpr(const Dim &)> expr) {
  SmallVector<unsigned> read = longDims(from), made = longDims(to);
  SmallVector<AffineExpr> indices(from.size(), getAffineConstantExpr(0, context));
  auto isSame = [&](unsigned i, unsigned j) { return from[i] == to[j]; };
  if (std::equal(read.begin(), read.end(), made.begin(), made.end(), isSame)) { // the indices stay the same
    for (auto [i, j] : llvm::zip_equal(read, made))
      indices[i] = getAffineDimExpr(j, context);
    return indices;
  }
  AffineExpr offset = getAffineConstantExpr(0, context);
  for (auto [i, extent] : llvm::enumerate(to))
    offset = offset * expr(extent) + getAffineDimExpr(i, context);
  for (size_t i = from.size(); i-- > 0;) {
    indices[i] = i ? offset % expr(from[i]) : offset; // the first index is in range without a remainder
    if (i)
      offset = offset.floorDiv(expr(from[i]));
  }
  return indices;
}

AffineMap lathe::mapOfReshape(RankedTensorType from, RankedTensorType to) {
  MLIRContext *context = from.getContext();
  auto number = [&](const Dim &extent) { return getAffineConstantExpr(extent.constant(), context); };
  return AffineMap::get(to.getRank(), 0, indicesOfReshape(dimsOf(from), dimsOf(to), context, number), context);
}

static Value lowerReshape(ReshapeOp op, OpBuilder &builder) {
  return copyAt(op, builder, [&](NestBuilder &nest, SmallVectorImpl<AffineExpr> &indices, NestBuilder::Guard &) {
    indices = indicesOfReshape(dimsOf(op.getOperand()), dimsOf(op.getResult()), op.getContext(),
                               [&](const Dim &extent) { return nest.expr(extent); });
  });
}

static Value lowerTranspose(TransposeOp op, OpBuilder &builder) {
  return copyAt(op, builder, [&](NestBuilder &nest, SmallVectorImpl<AffineExpr> &indices, NestBuilder::Guard &) {
    indices.resize(op.getPermutation().size());
    for (auto [i, source] : llvm::enumerate(op.getPermutation()))
      indices[source] = nest.dim(i);
  });
}

static Value lowerReverse(ReverseOp op, OpBuilder &builder) {
  return copyAt(op, builder, [&](NestBuilder &nest, SmallVectorImpl<AffineExpr> &indices, NestBuilder::Guard &) {
    for (auto [i, extent] : llvm::enumerate(dimsOf(op.getOperand())))
      indices.push_back(llvm::is_contained(op.getDims(), int64_t(i)) ? nest.expr(extent - Dim(1)) - nest.dim(i) : nest.dim(i));
  });
}

static Value lowerSlice(SliceOp op, OpBuilder &builder) {
  return copyAt(op, builder, [&](NestBuilder &nest, SmallVectorImpl<AffineExpr> &indices, NestBuilder::Guard &) {
    for (auto [i, start, step] : llvm::enumerate(dimsOf(op.getStarts()), op.getSteps()))
      indices.push_back(nest.dim(i) * step + nest.expr(start));
  });
}

/// True if there is no padding along this dimension.
static bool keepsDimension(PadOp op, unsigned dim) {
  return dimsOf(op.getLow())[dim].isStatic(0) && dimsOf(op.getHigh())[dim].isStatic(0) && op.getInterior()[dim] == 0;
}

static Value lowerPad(PadOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  SmallVector<AffineExpr> indices;
  NestBuilder::Guard guard;
  const Dims lows = dimsOf(op.getLow());
  for (auto [i, extent] : llvm::enumerate(dimsOf(op.getOperand()))) {
    int64_t pitch = op.getInterior()[i] + 1;
    AffineExpr place = nest.dim(i) - nest.expr(lows[i]);
    indices.push_back(place.floorDiv(pitch));
    if (keepsDimension(op, i))
      continue;
    guard.nonNegative.push_back(place);
    guard.nonNegative.push_back(nest.expr(extent - Dim(1)) * pitch - place);
    if (pitch > 1)
      guard.zero.push_back(place % pitch);
  }
  // A guard's fill must be constant, but the pad value is not: the body selects between operand and pad value.
  nest.read(op.getOperand(), indices, guard);
  nest.read(op.getValue(), {});
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
    Value inside;
    auto index = [&](unsigned dim) -> Value { return IndexOp::create(b, loc, b.getI64Type(), dim); };
    auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, loc, b.getI64Type(), value); };
    auto size = [&](const Dim &dim) -> Value {
      return dim.isStatic() ? number(dim.constant())
                            : ExtentOp::create(b, loc, b.getI64Type(), dim.toAttr(b.getContext())).getResult();
    };
    auto require = [&](Value condition) {
      inside = inside ? arith::AndIOp::create(b, loc, inside, condition).getResult() : condition;
    };
    for (auto [i, extent] : llvm::enumerate(dimsOf(op.getOperand()))) {
      if (keepsDimension(op, i))
        continue;
      int64_t pitch = op.getInterior()[i] + 1;
      Value place = arith::SubIOp::create(b, loc, index(i), size(lows[i]));
      Value last = arith::MulIOp::create(
          b, loc, ExtentOp::create(b, loc, b.getI64Type(), (extent - Dim(1)).toAttr(b.getContext())), number(pitch));
      require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, place, number(0)));
      require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, place, last));
      if (pitch > 1)
        require(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, arith::RemSIOp::create(b, loc, place, number(pitch)),
                                      number(0)));
    }
    return inside ? arith::SelectOp::create(b, loc, inside, scalars[0], scalars[1]).getResult() : scalars[0];
  });
}

static Value lowerConcatenate(ConcatenateOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  int64_t dim = op.getDim();
  Dim offset(0);
  SmallVector<Dim> ends;
  for (Value operand : op.getInputs()) {
    Dims extents = dimsOf(operand);
    SmallVector<AffineExpr> indices;
    for (size_t i = 0; i < extents.size(); ++i)
      indices.push_back(nest.dim(i));
    indices[dim] = nest.dim(dim) - nest.expr(offset);
    NestBuilder::Guard guard;
    guard.nonNegative.push_back(indices[dim]);
    guard.nonNegative.push_back(nest.expr(extents[dim] - Dim(1)) - indices[dim]);
    nest.read(operand, indices, guard);
    offset = offset + extents[dim];
    ends.push_back(offset);
  }
  Value joined = nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
    Value place = IndexOp::create(b, loc, b.getI64Type(), dim), result = scalars.back();
    for (size_t i = scalars.size() - 1; i-- > 0;) {
      Value end = ExtentOp::create(b, loc, b.getI64Type(), ends[i].toAttr(b.getContext()));
      Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, end);
      result = arith::SelectOp::create(b, loc, before, scalars[i], result);
    }
    return result;
  });
  joined.getDefiningOp()->setAttr(kConcatenatedAttr, builder.getI64IntegerAttr(dim));
  return joined;
}

/// Converts an i64 to the element type of a result.
static Value fromInt64(OpBuilder &b, Location loc, Value value, Type element) {
  if (isa<FloatType>(element))
    return arith::SIToFPOp::create(b, loc, element, value);
  Type signless = scalarOf(element);
  return signless == value.getType() ? value : arith::TruncIOp::create(b, loc, signless, value).getResult();
}

static Value lowerIota(IotaOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange) {
    return fromInt64(b, loc, IndexOp::create(b, loc, b.getI64Type(), op.getDim()), op.getElement());
  });
}

static Value lowerDimSize(DimSizeOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange) -> Value {
    return ExtentOp::create(b, loc, b.getI64Type(), dimsOf(op.getOperand())[op.getDim()].toAttr(b.getContext()));
  });
}

Value lathe::lowerShape(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ConstantOp o) { return lowerConstant(o, builder); })
      .Case([&](BroadcastOp o) { return lowerBroadcast(o, builder); })
      .Case([&](ReshapeOp o) { return lowerReshape(o, builder); })
      .Case([&](TransposeOp o) { return lowerTranspose(o, builder); })
      .Case([&](ReverseOp o) { return lowerReverse(o, builder); })
      .Case([&](SliceOp o) { return lowerSlice(o, builder); })
      .Case([&](PadOp o) { return lowerPad(o, builder); })
      .Case([&](ConcatenateOp o) { return lowerConcatenate(o, builder); })
      .Case([&](IotaOp o) { return lowerIota(o, builder); })
      .Case([&](DimSizeOp o) { return lowerDimSize(o, builder); })
      .Default(Value());
}
