// Ops on windows as nests that reduce over the taps, with guarded reads:
//
//   reduce_window:   for window o:   reduce over taps k of operand[i(o, k)]; the neutral value out of range
//   window_index:    for window o:   argmax or argmin over the number of the tap
//   window_gather:   for window o:   sum over taps k of operand[i(o, k)] where taps[o] = k, else 0
//   window_scatter:  for position i: sum over taps k of operand[o(i, k)] where taps[o(i, k)] = k, else 0
//
// Dimensions of window size 1 need no loop.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Returns the extents of the loops over taps.
static Dims tapExtents(WindowAttr window) {
  Dims extents;
  for (int64_t size : window.getSize().asArrayRef())
    if (size > 1)
      extents.push_back(Dim(size));
  return extents;
}

namespace {
/// Affine expressions for the relation between positions i, taps k and windows o: p = o * stride + k * dilation - low = i *
/// base_dilation.
struct Taps {
  NestBuilder &nest;
  WindowAttr window;
  SmallVector<AffineExpr> index; // index of the tap in each dimension

  Taps(NestBuilder &nest, WindowAttr window) : nest(nest), window(window) {
    unsigned next = window.getSize().size();
    for (int64_t size : window.getSize().asArrayRef())
      index.push_back(size > 1 ? nest.dim(next++) : nest.constant(0));
  }

  /// Returns the position that window `o` reads through its tap; `guard` gets the conditions for its existence.
  AffineExpr placeRead(size_t i, AffineExpr o, const Dim &extent, NestBuilder::Guard &guard) {
    AffineExpr place = o * window.getStride()[i] + index[i] * window.getDilation()[i] - window.getLow()[i];
    if (window.getLow()[i] <= 0 && window.getHigh()[i] <= 0 && window.getBaseDilation()[i] == 1)
      return place; // without padding all windows are in range
    return quotient(place, window.getBaseDilation()[i], extent, guard);
  }
  /// Returns the window that reads position `x` through its tap.
  AffineExpr reader(size_t i, AffineExpr x, const Dim &extent, NestBuilder::Guard &guard) {
    bool isItself = window.getSize()[i] == 1 && window.getLow()[i] == 0 && window.getHigh()[i] == 0 &&
                    window.getStride()[i] == 1 && window.getBaseDilation()[i] == 1;
    if (isItself)
      return x;
    return quotient(x * window.getBaseDilation()[i] + window.getLow()[i] - index[i] * window.getDilation()[i],
                    window.getStride()[i], extent, guard);
  }

  /// Returns the number of the tap, as an i32 of the nest's body.
  Value number(OpBuilder &b, Location loc) {
    Type i64 = b.getI64Type();
    Value number = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    for (auto [size, place] : llvm::zip_equal(window.getSize().asArrayRef(), index)) {
      auto dim = dyn_cast<AffineDimExpr>(place);
      if (!dim)
        continue;
      Value factor = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(size));
      number = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, number, factor),
                                     IndexOp::create(b, loc, i64, dim.getPosition()));
    }
    return arith::TruncIOp::create(b, loc, b.getI32Type(), number);
  }

private:
  AffineExpr quotient(AffineExpr p, int64_t divisor, const Dim &extent, NestBuilder::Guard &guard) {
    guard.nonNegative.push_back(p);
    guard.nonNegative.push_back(nest.expr((extent - Dim(1)) * Dim(divisor)) - p);
    if (divisor == 1)
      return p;
    guard.zero.push_back(p % divisor);
    return p.floorDiv(divisor);
  }
};
} // namespace

static TypedAttr neutralOf(ReduceKind kind, Type element, Builder b) {
  bool isMax = kind == ReduceKind::Max;
  if (kind == ReduceKind::Sum || kind == ReduceKind::Product)
    return kind == ReduceKind::Sum ? cast<TypedAttr>(b.getZeroAttr(element)) : cast<TypedAttr>(b.getOneAttr(element));
  if (auto floating = dyn_cast<FloatType>(element))
    return b.getFloatAttr(element, APFloat::getInf(floating.getFloatSemantics(), /*Negative=*/isMax));
  unsigned width = element.getIntOrFloatBitWidth();
  return b.getIntegerAttr(element, isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

/// Adds 0 to a float: a sum begins at 0, so that the sum of a single -0 is 0.
static Value addedToZero(Value value, OpBuilder &b, Location loc) {
  if (!isa<FloatType>(value.getType()))
    return value;
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::AddFOp::create(b, loc, value, zero);
}

/// Reduces the elements under the taps. Taps outside of the operand read the neutral value.
template <typename Op>
static Value overTaps(Op op, Taps &relation, NestBuilder &nest, OpBuilder &builder, bool isOneSum = false) {
  SmallVector<AffineExpr> indices;
  NestBuilder::Guard guard;
  for (auto [i, extent] : llvm::enumerate(dimsOf(op.getOperand())))
    indices.push_back(relation.placeRead(i, nest.dim(i), extent, guard));
  nest.read(op.getOperand(), indices, guard,
            neutralOf(op.getKind(), scalarOf(typeOf(op.getOperand()).getElementType()), builder));
  if (isOneSum)
    return nest.finish([](OpBuilder &b, Location loc, ValueRange scalars) { return addedToZero(scalars[0], b, loc); });
  return nest.finish(NestBuilder::firstScalar);
}

static Value lowerReduceWindow(ReduceWindowOp op, OpBuilder &builder) {
  NestReduction kinds[] = {NestReduction::Sum, NestReduction::Product, NestReduction::Max, NestReduction::Min};
  Dims taps = tapExtents(op.getWindow());
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), taps,
                   taps.empty() ? NestReduction::None : kinds[unsigned(op.getKind())]);
  Taps relation(nest, op.getWindow());
  return overTaps(op, relation, nest, builder, taps.empty() && op.getKind() == ReduceKind::Sum);
}

/// Uses one loop over the number of the tap, since argmax and argmin count an index along one dimension.
static Value lowerWindowIndex(WindowIndexOp op, OpBuilder &builder) {
  WindowAttr window = op.getWindow();
  int64_t count = 1;
  for (int64_t size : window.getSize().asArrayRef())
    count *= size;
  bool isMax = op.getKind() == ReduceKind::Max;
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), Dim(count),
                   isMax ? NestReduction::Argmax : NestReduction::Argmin);
  Taps relation(nest, window);
  size_t rank = window.getSize().size();
  AffineExpr rest = nest.dim(rank);
  for (size_t i = rank; i-- > 0;) {
    int64_t size = window.getSize()[i];
    relation.index[i] = rest % size;
    rest = rest.floorDiv(size);
  }
  return overTaps(op, relation, nest, builder);
}

/// Sums over all taps the value of the one that equals the given tap.
static Value sumOfChosen(Taps &relation, NestBuilder &nest, bool isOneTap) {
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
    Value chosen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, scalars[1], relation.number(b, loc));
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(scalars[0].getType())));
    Value value = arith::SelectOp::create(b, loc, chosen, scalars[0], zero);
    return isOneTap ? addedToZero(value, b, loc) : value;
  });
}

static Value lowerWindowGather(WindowGatherOp op, OpBuilder &builder) {
  Dims taps = tapExtents(op.getWindow());
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), taps, taps.empty() ? NestReduction::None : NestReduction::Sum);
  Taps relation(nest, op.getWindow());
  SmallVector<AffineExpr> indices, here;
  NestBuilder::Guard guard;
  for (auto [i, extent] : llvm::enumerate(dimsOf(op.getOperand()))) {
    indices.push_back(relation.placeRead(i, nest.dim(i), extent, guard));
    here.push_back(nest.dim(i));
  }
  nest.read(op.getOperand(), indices, guard);
  nest.read(op.getTaps(), here);
  return sumOfChosen(relation, nest, taps.empty());
}

static Value lowerWindowScatter(WindowScatterOp op, OpBuilder &builder) {
  Dims taps = tapExtents(op.getWindow());
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), taps, taps.empty() ? NestReduction::None : NestReduction::Sum);
  Taps relation(nest, op.getWindow());
  SmallVector<AffineExpr> indices;
  NestBuilder::Guard guard;
  for (auto [i, extent] : llvm::enumerate(dimsOf(op.getOperand())))
    indices.push_back(relation.reader(i, nest.dim(i), extent, guard));
  nest.read(op.getOperand(), indices, guard);
  nest.read(op.getTaps(), indices, guard, builder.getI32IntegerAttr(-1));
  return sumOfChosen(relation, nest, taps.empty());
}

Value lathe::lowerWindow(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReduceWindowOp o) { return lowerReduceWindow(o, builder); })
      .Case([&](WindowIndexOp o) { return lowerWindowIndex(o, builder); })
      .Case([&](WindowGatherOp o) { return lowerWindowGather(o, builder); })
      .Case([&](WindowScatterOp o) { return lowerWindowScatter(o, builder); })
      .Default(Value());
}
