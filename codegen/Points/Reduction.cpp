// The code of a reduction, in parts of a loop that the caller emits:
//
//   accumulators = neutral values, a scalar or a vector each      // two for an index, and for extrema by keys
//   for point: accumulators = combine(accumulators, point)        // lanes that a mask excludes keep theirs
//   halves of the lanes are combined until one is left            // if the loop went along the lanes
//   result = accumulator, the index, or the float of the extreme key
#include "codegen/Points/Reduction.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;

Reduction::Reduction(NestOp nest, PointEvaluator &eval)
    : nest(nest), eval(eval), element(nest.getBody().front().getTerminator()->getOperand(0).getType()),
      ofProducts(nest.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>() != nullptr) {}

NestReduction lathe::reductionOf(CumulativeKind kind) {
  switch (kind) {
  case CumulativeKind::Product:
    return NestReduction::Product;
  case CumulativeKind::Max:
    return NestReduction::Max;
  case CumulativeKind::Min:
    return NestReduction::Min;
  default:
    return NestReduction::Sum;
  }
}

NestReduction lathe::reductionOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Mul:
    return NestReduction::Product;
  case ScatterKind::Max:
    return NestReduction::Max;
  case ScatterKind::Min:
    return NestReduction::Min;
  default:
    return NestReduction::Sum;
  }
}

unsigned lathe::bytesOfOrderedSum(NestOp nest) {
  Type element = nest.getBody().front().getTerminator()->getOperand(0).getType();
  bool hasOrder = nest.getReduction() == NestReduction::Sum || nest.getReduction() == NestReduction::Product;
  return hasOrder && isa<FloatType>(element) ? element.getIntOrFloatBitWidth() / 8 : 0;
}

bool lathe::isFloatSum(NestOp nest) { return nest.getReduction() == NestReduction::Sum && bytesOfOrderedSum(nest) > 0; }

TypedAttr lathe::neutralOf(NestReduction kind, Type element, Builder b) {
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

// Extrema of floats propagate NaN and order zeros, a dependent chain of six instructions. As keys, integers in the order -NaN,
// -inf, ..., -0, 0, ..., inf, NaN, the chain is one instruction per step: the largest and the smallest key give the extreme and
// whether there was a NaN of either sign. GPUs have a single instruction for this.
constexpr int32_t kInfinity = 0x7F800000, kMinusInfinity = int32_t(0x807FFFFF), kLargest = 0x7FFFFFFF;

bool Reduction::goesByKeys() const {
  NestReduction kind = NestOp(nest).getReduction();
  return element.isF32() && !eval.target.hasMaximum && !ignoresNaN() &&
         (kind == NestReduction::Max || kind == NestReduction::Min);
}

bool Reduction::ignoresNaN() const { return nest->hasAttr(kIgnoresNaNAttr) && !eval.target.hasMaximum; }

Value Reduction::combine(Value total, Value value) const {
  if (!ignoresNaN())
    return lathe::combine(eval.b, eval.loc, nest.getReduction(), total, value, ofProducts);
  Value isLarger = arith::CmpFOp::create(eval.b, eval.loc, arith::CmpFPredicate::OGT, total, value); // vmaxps on x86
  return arith::SelectOp::create(eval.b, eval.loc, isLarger, total, value);
}

Value Reduction::key(int32_t bits, Value like) const {
  auto number = eval.b.getI32IntegerAttr(bits);
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    return arith::ConstantOp::create(eval.b, eval.loc, DenseElementsAttr::get(vector, number.getValue()));
  return arith::ConstantOp::create(eval.b, eval.loc, number);
}

/// Maps the bits of a float to its key and back: inverts all bits but the sign if the sign is set.
Value Reduction::keyOf(Value bits) const {
  Value sign = arith::ShRSIOp::create(eval.b, eval.loc, bits, key(31, bits));
  return arith::XOrIOp::create(eval.b, eval.loc, bits, arith::AndIOp::create(eval.b, eval.loc, sign, key(kLargest, bits)));
}

/// Bitcasts a scalar or vector to another element type.
static Value bitcast(PointEvaluator &eval, Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::BitcastOp::create(eval.b, eval.loc, vector ? vector.clone(element) : element, value);
}

/// Returns the extreme's key, or that of a NaN.
Value Reduction::extremeKey(const Accumulators &values) const {
  OpBuilder &b = eval.b;
  Location loc = eval.loc;
  bool isMax = NestOp(nest).getReduction() == NestReduction::Max;
  Value best = values[isMax ? 0 : 1], other = values[isMax ? 1 : 0];
  auto predicate = isMax ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
  Value hasNaN = arith::CmpIOp::create(b, loc, predicate, other, key(isMax ? kMinusInfinity : kInfinity, other));
  return arith::SelectOp::create(b, loc, hasNaN, key(isMax ? kLargest : ~kLargest, best), best);
}

Value Reduction::result(const Accumulators &values) const {
  if (!goesByKeys() || values.size() == 1)
    return values.back();
  return bitcast(eval, keyOf(extremeKey(values)), element);
}

Reduction::Accumulators Reduction::neutral() const {
  OpBuilder &b = eval.b;
  if (goesByKeys()) {
    Value none = arith::ConstantOp::create(b, eval.loc, b.getI32IntegerAttr(kMinusInfinity));
    Value all = arith::ConstantOp::create(b, eval.loc, b.getI32IntegerAttr(kInfinity));
    return {eval.splat(none), eval.splat(all)};
  }
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

Value lathe::combine(OpBuilder &b, Location loc, NestReduction kind, Value total, Value value, bool ofProducts) {
  // Products are contracted with their sum; the order of the sum stays as written.
  auto flags = ofProducts ? arith::FastMathFlags::contract : arith::FastMathFlags::none;
  auto contract = arith::FastMathFlagsAttr::get(b.getContext(), flags);
  switch (kind) {
  case NestReduction::Sum:
    if (!isa<FloatType>(getElementTypeOrSelf(total.getType())))
      return arith::AddIOp::create(b, loc, total, value);
    if (auto product = value.getDefiningOp<arith::MulFOp>(); product && ofProducts)
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

/// True where `value` replaces `best`: it is beyond it, or the first NaN, which beats all numbers.
Value Reduction::beats(Value value, Value best) const {
  OpBuilder &b = eval.b;
  Location loc = eval.loc;
  bool isMax = nest.getReduction() == NestReduction::Argmax;
  if (!isa<FloatType>(element))
    return arith::CmpIOp::create(b, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, value, best);
  Value beyond = arith::CmpFOp::create(b, loc, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, value, best);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value bestIsNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
  return arith::OrIOp::create(b, loc, beyond, arith::AndIOp::create(b, loc, isNaN, bestIsNumber));
}

Reduction::Accumulators Reduction::choose(Value first, const Accumulators &values, const Accumulators &others) const {
  Accumulators chosen;
  for (auto [value, other] : llvm::zip_equal(values, others))
    chosen.push_back(arith::SelectOp::create(eval.b, eval.loc, first, value, other));
  return chosen;
}

/// Keeps the first of equal values: indices ascend.
Reduction::Accumulators Reduction::stepIndexed(const Accumulators &values, Value value, Value index, Value mask) const {
  Value better = beats(value, values[0]);
  if (mask)
    better = arith::AndIOp::create(eval.b, eval.loc, better, mask);
  return choose(better, {value, index}, values);
}

/// Merges interleaved lanes: of equal values, the one with the lower index wins.
Reduction::Accumulators Reduction::firstOfBest(const Accumulators &left, const Accumulators &right) const {
  OpBuilder &b = eval.b;
  Location loc = eval.loc;
  Value rightBeats = beats(right[0], left[0]);
  Value differ = arith::OrIOp::create(b, loc, beats(left[0], right[0]), rightBeats);
  Value isLower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, right[1], left[1]);
  return choose(arith::SelectOp::create(b, loc, differ, rightBeats, isLower), right, left);
}

/// Returns the index along the reduction in each lane, as i32.
Value Reduction::indices(const Index &place) const {
  OpBuilder &b = eval.b;
  Value base = eval.splat(arith::TruncIOp::create(b, eval.loc, b.getI32Type(), place.base));
  if (place.step == 0 || eval.lanes == 1)
    return base;
  SmallVector<int32_t> offsets;
  for (unsigned lane = 0; lane < eval.lanes; ++lane)
    offsets.push_back(int32_t(lane * place.step));
  auto type = cast<VectorType>(base.getType());
  Value lanes = arith::ConstantOp::create(b, eval.loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(offsets)));
  return arith::AddIOp::create(b, eval.loc, base, lanes);
}

/// Adds a term to the total. Multiplies and adds with one rounding if the CPU can: if contraction were left to LLVM, a guard
/// between the two would prevent it in some versions of a kernel.
Value Reduction::add(Value total, Value value) const {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!sumsProducts() || !product || !eval.target.hasFMA)
    return combine(total, eval.splat(value));
  return math::FmaOp::create(eval.b, eval.loc, eval.splat(product.getLhs()), eval.splat(product.getRhs()), total);
}

Reduction::Accumulators Reduction::step(const Accumulators &values, ArrayRef<Index> place, Value mask) const {
  OpBuilder &b = eval.b;
  Value value = eval.body(nest, place);
  if (givesIndex(nest.getReduction()))
    return stepIndexed(values, eval.splat(value), indices(place.back()), mask);
  if (goesByKeys()) {
    Value key = keyOf(bitcast(eval, eval.splat(value), b.getI32Type()));
    Accumulators next{arith::MaxSIOp::create(b, eval.loc, values[0], key), arith::MinSIOp::create(b, eval.loc, values[1], key)};
    return mask ? choose(mask, next, values) : next;
  }
  Value total = add(values[0], value);
  if (mask)
    total = arith::SelectOp::create(b, eval.loc, mask, total, values[0]);
  return {total};
}

Reduction::Accumulators Reduction::merge(const Accumulators &left, const Accumulators &right) const {
  OpBuilder &b = eval.b;
  if (givesIndex(nest.getReduction()))
    return firstOfBest(left, right);
  if (goesByKeys() && left.size() == 2) // acrossLanes leaves one
    return {arith::MaxSIOp::create(b, eval.loc, left[0], right[0]), arith::MinSIOp::create(b, eval.loc, left[1], right[1])};
  return {combine(left[0], right[0])};
}

Reduction::Accumulators Reduction::acrossLanes(const Accumulators &values) const {
  OpBuilder &b = eval.b;
  Value value = values[0];
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return values;
  Accumulators total = goesByKeys() ? Accumulators{extremeKey(values)} : values;
  auto merged = [&](const Accumulators &left, const Accumulators &right) -> Accumulators {
    if (givesIndex(nest.getReduction()))
      return firstOfBest(left, right);
    return {combine(left[0], right[0])};
  };
  for (int64_t n = type.getNumElements() / 2; n >= 1; n /= 2) {
    auto half = [&](int64_t first) {
      Accumulators lanes;
      for (Value all : total)
        lanes.push_back(
            vector::ShuffleOp::create(b, eval.loc, all, all, llvm::to_vector(llvm::seq<int64_t>(first, first + n))));
      return lanes;
    };
    total = merged(half(0), half(n));
  }
  for (Value &lane : total)
    lane = vector::ExtractOp::create(b, eval.loc, lane, ArrayRef<int64_t>{0});
  if (goesByKeys())
    return {bitcast(eval, keyOf(total[0]), element)};
  return total;
}
