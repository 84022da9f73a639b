#include "codegen/CPU/Reduction.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

Reduction::Reduction(NestOp nest, PointEvaluator &eval)
    : nest(nest), eval(eval), element(nest.getBody().front().getTerminator()->getOperand(0).getType()) {}

TypedAttr cpu::neutralOf(NestReduction kind, Type element, Builder b) {
  auto floating = dyn_cast<FloatType>(element);
  unsigned width = element.getIntOrFloatBitWidth();
  switch (kind) {
  case NestReduction::Product:
    return b.getOneAttr(element);
  case NestReduction::Max:
  case NestReduction::Argmax:
    if (floating)
      return b.getFloatAttr(element, APFloat::getInf(floating.getFloatSemantics(), /*Negative=*/true));
    return b.getIntegerAttr(element, APInt::getSignedMinValue(width));
  case NestReduction::Min:
  case NestReduction::Argmin:
    if (floating)
      return b.getFloatAttr(element, APFloat::getInf(floating.getFloatSemantics()));
    return b.getIntegerAttr(element, APInt::getSignedMaxValue(width));
  case NestReduction::And:
    return b.getIntegerAttr(element, APInt::getAllOnes(width));
  default:
    return cast<TypedAttr>(b.getZeroAttr(element));
  }
}

Reduction::Accumulators Reduction::neutral() const {
  OpBuilder &b = eval.b;
  Value start = arith::ConstantOp::create(b, eval.loc, neutralOf(nest.getReduction(), element, b));
  if (!givesIndex(nest.getReduction()))
    return {eval.splat(start)};
  return {eval.splat(start), eval.splat(eval.constant(b.getI32Type(), 0))};
}

template <typename FloatOp, typename IntOp>
static Value either(OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return FloatOp::create(b, loc, x, y);
  return IntOp::create(b, loc, x, y);
}

Value cpu::combine(OpBuilder &b, Location loc, NestReduction kind, Value total, Value value) {
  // Inside a reduction products and sums may contract to FMA; the order of the sum stays as written.
  auto contract = arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::contract);
  switch (kind) {
  case NestReduction::Sum:
    if (!isa<FloatType>(getElementTypeOrSelf(total.getType())))
      return arith::AddIOp::create(b, loc, total, value);
    if (auto product = value.getDefiningOp<arith::MulFOp>())
      product.setFastmathAttr(contract);
    return arith::AddFOp::create(b, loc, total, value, contract);
  case NestReduction::Product:
    return either<arith::MulFOp, arith::MulIOp>(b, loc, total, value);
  case NestReduction::Max:
    return either<arith::MaximumFOp, arith::MaxSIOp>(b, loc, total, value);
  case NestReduction::Min:
    return either<arith::MinimumFOp, arith::MinSIOp>(b, loc, total, value);
  case NestReduction::And:
    return arith::AndIOp::create(b, loc, total, value);
  case NestReduction::Or:
    return arith::OrIOp::create(b, loc, total, value);
  case NestReduction::Xor:
    return arith::XOrIOp::create(b, loc, total, value);
  default:
    llvm_unreachable("argmax and argmin have their own step");
  }
}

Reduction::Accumulators Reduction::stepIndexed(const Accumulators &values, Value value, Value index) const {
  OpBuilder &b = eval.b;
  Location loc = eval.loc;
  Value best = values[0], better;
  bool isMax = nest.getReduction() == NestReduction::Argmax;
  if (isa<FloatType>(element)) { // a NaN beats all numbers, the first one stays
    Value beats = arith::CmpFOp::create(b, loc, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, value, best);
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
    Value bestIsNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
    better = arith::OrIOp::create(b, loc, beats, arith::AndIOp::create(b, loc, isNaN, bestIsNumber));
  } else {
    better = arith::CmpIOp::create(b, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, value, best);
  }
  return {arith::SelectOp::create(b, loc, better, value, best), arith::SelectOp::create(b, loc, better, index, values[1])};
}

Reduction::Accumulators Reduction::step(const Accumulators &values, ArrayRef<Index> place, Value mask) const {
  OpBuilder &b = eval.b;
  Value value = eval.splat(eval.body(nest, place));
  if (givesIndex(nest.getReduction())) {
    Value index = arith::TruncIOp::create(b, eval.loc, b.getI32Type(), place.back().base);
    return stepIndexed(values, value, eval.splat(index));
  }
  Value total = combine(values[0], value);
  if (mask)
    total = arith::SelectOp::create(b, eval.loc, mask, total, values[0]);
  return {total};
}

Reduction::Accumulators Reduction::acrossLanes(const Accumulators &values) const {
  OpBuilder &b = eval.b;
  Value value = values[0];
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return values;
  for (int64_t n = type.getNumElements() / 2; n >= 1; n /= 2) {
    SmallVector<int64_t> low(n), high(n);
    for (int64_t i = 0; i < n; ++i) {
      low[i] = i;
      high[i] = i + n;
    }
    Value left = vector::ShuffleOp::create(b, eval.loc, value, value, low);
    Value right = vector::ShuffleOp::create(b, eval.loc, value, value, high);
    value = combine(left, right);
  }
  return {vector::ExtractOp::create(b, eval.loc, value, ArrayRef<int64_t>{0})};
}
