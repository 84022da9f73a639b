// Elementwise ops: identity accesses around a scalar computation.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

namespace {
/// Short names for what the scalar computations are made of.
struct Scalars {
  OpBuilder &b;
  Location loc;
  bool isUnsigned; // the op's first operand; the types here are signless

  Value constant(Type type, double value) {
    if (auto floating = dyn_cast<FloatType>(type))
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(floating, value));
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, int64_t(value)));
  }
  Value integer(Type type, int64_t value) { return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) { return arith::CmpFOp::create(b, loc, predicate, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) { return arith::CmpIOp::create(b, loc, predicate, x, y); }
  Value select(Value p, Value x, Value y) { return arith::SelectOp::create(b, loc, p, x, y); }
};
} // namespace

static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

template <typename FloatOp, typename IntOp, typename UnsignedOp = IntOp>
static Value either(Scalars s, ValueRange v) {
  if (isFloat(v[0]))
    return FloatOp::create(s.b, s.loc, v);
  if (s.isUnsigned)
    return UnsignedOp::create(s.b, s.loc, v);
  return IntOp::create(s.b, s.loc, v);
}

static Value sign(Scalars s, Value x) {
  Type type = x.getType();
  Value zero = s.constant(type, 0), one = s.constant(type, 1), minus = s.constant(type, -1);
  if (isFloat(x)) { // a zero and a NaN are themselves
    Value low = s.select(s.compare(arith::CmpFPredicate::OLT, x, zero), minus, x);
    return s.select(s.compare(arith::CmpFPredicate::OGT, x, zero), one, low);
  }
  if (s.isUnsigned)
    return s.select(s.compare(arith::CmpIPredicate::ne, x, zero), one, zero);
  Value low = s.select(s.compare(arith::CmpIPredicate::slt, x, zero), minus, zero);
  return s.select(s.compare(arith::CmpIPredicate::sgt, x, zero), one, low);
}

/// A divisor that no machine faults on, and whether the true one is 0.
static std::pair<Value, Value> safeDivisor(Scalars s, Value x, Value y) {
  Type type = y.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value isZero = s.compare(arith::CmpIPredicate::eq, y, s.integer(type, 0));
  if (s.isUnsigned)
    return {s.select(isZero, s.integer(type, 1), y), isZero};
  Value smallest = arith::ConstantOp::create(s.b, s.loc, s.b.getIntegerAttr(type, APInt::getSignedMinValue(width)));
  Value overflows = arith::AndIOp::create(s.b, s.loc, s.compare(arith::CmpIPredicate::eq, y, s.integer(type, -1)),
                                          s.compare(arith::CmpIPredicate::eq, x, smallest));
  Value unsafe = arith::OrIOp::create(s.b, s.loc, isZero, overflows);
  return {s.select(unsafe, s.integer(type, 1), y), isZero};
}

static Value divide(Scalars s, ValueRange v) {
  if (isFloat(v[0]))
    return arith::DivFOp::create(s.b, s.loc, v);
  auto [divisor, isZero] = safeDivisor(s, v[0], v[1]);
  Value quotient = s.isUnsigned ? arith::DivUIOp::create(s.b, s.loc, v[0], divisor).getResult()
                                : arith::DivSIOp::create(s.b, s.loc, v[0], divisor).getResult();
  return s.select(isZero, s.integer(v[0].getType(), -1), quotient);
}

static Value remainder(Scalars s, ValueRange v) {
  if (isFloat(v[0]))
    return arith::RemFOp::create(s.b, s.loc, v);
  auto [divisor, isZero] = safeDivisor(s, v[0], v[1]);
  Value rest = s.isUnsigned ? arith::RemUIOp::create(s.b, s.loc, v[0], divisor).getResult()
                            : arith::RemSIOp::create(s.b, s.loc, v[0], divisor).getResult();
  return s.select(isZero, v[0], rest);
}

template <typename ShiftOp>
static Value shift(Scalars s, ValueRange v) {
  Type type = v[0].getType();
  Value width = s.integer(type, type.getIntOrFloatBitWidth()), zero = s.integer(type, 0);
  Value fits = s.compare(arith::CmpIPredicate::ult, v[1], width); // a negative amount is a huge unsigned one
  return s.select(fits, ShiftOp::create(s.b, s.loc, v[0], s.select(fits, v[1], zero)), zero);
}

static Value compareScalars(Scalars s, CompareKind kind, ValueRange v) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  constexpr F floats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  constexpr I ints[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  constexpr I unsignedInts[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  unsigned index = static_cast<unsigned>(kind);
  if (isFloat(v[0]))
    return s.compare(floats[index], v[0], v[1]);
  return s.compare(s.isUnsigned ? unsignedInts[index] : ints[index], v[0], v[1]);
}

/// Limited to the range of the integer type, whose ends are compared as powers of two, which floats have.
static Value floatToInt(Scalars s, Value x, Type to) {
  Value zero = s.constant(x.getType(), 0);
  if (to.isInteger(1))
    return s.compare(arith::CmpFPredicate::UNE, x, zero);
  unsigned width = to.getIntOrFloatBitWidth();
  bool unsignedTo = to.isUnsignedInteger();
  Type signless = scalarOf(to);
  Value low = unsignedTo ? zero : s.constant(x.getType(), -std::ldexp(1.0, width - 1));
  Value high = s.constant(x.getType(), std::ldexp(1.0, unsignedTo ? width : width - 1));
  Value below = s.compare(arith::CmpFPredicate::OLT, x, low), above = s.compare(arith::CmpFPredicate::OGE, x, high);
  Value inside = arith::AndIOp::create(s.b, s.loc, s.compare(arith::CmpFPredicate::OGE, x, low),
                                       s.compare(arith::CmpFPredicate::OLT, x, high));
  Value safe = s.select(inside, x, zero); // 0 from a NaN
  Value converted = unsignedTo ? arith::FPToUIOp::create(s.b, s.loc, signless, safe).getResult()
                               : arith::FPToSIOp::create(s.b, s.loc, signless, safe).getResult();
  auto end = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(s.b, s.loc, s.b.getIntegerAttr(signless, value));
  };
  Value smallest = end(APInt::getMinValue(width)), largest = end(APInt::getMaxValue(width));
  if (!unsignedTo) {
    smallest = end(APInt::getSignedMinValue(width));
    largest = end(APInt::getSignedMaxValue(width));
  }
  return s.select(below, smallest, s.select(above, largest, converted));
}

static Value convert(Scalars s, Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (isFloat(x)) {
    if (!isa<FloatType>(to))
      return floatToInt(s, x, to);
    if (to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(s.b, s.loc, to, x);
    return arith::TruncFOp::create(s.b, s.loc, to, x);
  }
  if (isa<FloatType>(to))
    return s.isUnsigned ? arith::UIToFPOp::create(s.b, s.loc, to, x).getResult()
                        : arith::SIToFPOp::create(s.b, s.loc, to, x).getResult();
  if (to.isInteger(1))
    return s.compare(arith::CmpIPredicate::ne, x, s.integer(from, 0));
  unsigned narrow = to.getIntOrFloatBitWidth(), wide = from.getIntOrFloatBitWidth();
  if (narrow == wide) // signed and unsigned are one in here
    return x;
  if (narrow < wide)
    return arith::TruncIOp::create(s.b, s.loc, scalarOf(to), x);
  return s.isUnsigned ? arith::ExtUIOp::create(s.b, s.loc, scalarOf(to), x).getResult()
                      : arith::ExtSIOp::create(s.b, s.loc, scalarOf(to), x).getResult();
}

static Value logistic(Scalars s, Value x) {
  Value one = s.constant(x.getType(), 1);
  Value e = math::ExpOp::create(s.b, s.loc, arith::NegFOp::create(s.b, s.loc, x));
  return arith::DivFOp::create(s.b, s.loc, one, arith::AddFOp::create(s.b, s.loc, one, e));
}

static Value negate(Scalars s, Value x) {
  if (isFloat(x))
    return arith::NegFOp::create(s.b, s.loc, x);
  return arith::SubIOp::create(s.b, s.loc, s.integer(x.getType(), 0), x);
}

static Value absolute(Scalars s, Value x) {
  if (s.isUnsigned)
    return x;
  if (isFloat(x))
    return math::AbsFOp::create(s.b, s.loc, x);
  return arith::MaxSIOp::create(s.b, s.loc, x, negate(s, x));
}

Value lathe::buildScalar(Operation *op, OpBuilder &builder, Location location, ValueRange v) {
  bool isUnsigned = op->getNumOperands() > 0 && lathe::isUnsigned(typeOf(op->getOperand(0)).getElementType());
  Scalars s{builder, location, isUnsigned};
  auto unary = [&](auto tag) -> Value { return decltype(tag)::create(builder, location, v[0]); };
  auto binary = [&](auto tag) -> Value { return decltype(tag)::create(builder, location, v[0], v[1]); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) { return negate(s, v[0]); })
      .Case([&](AbsOp) { return absolute(s, v[0]); })
      .Case([&](SignOp) { return sign(s, v[0]); })
      .Case([&](ExpOp) { return unary(math::ExpOp()); })
      .Case([&](Expm1Op) { return unary(math::ExpM1Op()); })
      .Case([&](LogOp) { return unary(math::LogOp()); })
      .Case([&](Log1pOp) { return unary(math::Log1pOp()); })
      .Case([&](SqrtOp) { return unary(math::SqrtOp()); })
      .Case([&](RsqrtOp) { return unary(math::RsqrtOp()); })
      .Case([&](SinOp) { return unary(math::SinOp()); })
      .Case([&](CosOp) { return unary(math::CosOp()); })
      .Case([&](TanhOp) { return unary(math::TanhOp()); })
      .Case([&](ErfOp) { return unary(math::ErfOp()); })
      .Case([&](LogisticOp) { return logistic(s, v[0]); })
      .Case([&](FloorOp) { return unary(math::FloorOp()); })
      .Case([&](CeilOp) { return unary(math::CeilOp()); })
      .Case([&](RoundOp) { return unary(math::RoundEvenOp()); })
      .Case([&](NotOp) { return Value(arith::XOrIOp::create(builder, location, v[0], s.integer(v[0].getType(), -1))); })
      .Case([&](StopGradientOp) { return v[0]; })
      .Case([&](AddOp) { return either<arith::AddFOp, arith::AddIOp>(s, v); })
      .Case([&](SubOp) { return either<arith::SubFOp, arith::SubIOp>(s, v); })
      .Case([&](MulOp) { return either<arith::MulFOp, arith::MulIOp>(s, v); })
      .Case([&](DivOp) { return divide(s, v); })
      .Case([&](RemOp) { return remainder(s, v); })
      .Case([&](PowOp) { return binary(math::PowFOp()); })
      .Case([&](MaxOp) { return either<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(s, v); })
      .Case([&](MinOp) { return either<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(s, v); })
      .Case([&](AndOp) { return binary(arith::AndIOp()); })
      .Case([&](OrOp) { return binary(arith::OrIOp()); })
      .Case([&](XorOp) { return binary(arith::XOrIOp()); })
      .Case([&](ShiftLeftOp) { return shift<arith::ShLIOp>(s, v); })
      .Case([&](ShiftRightOp) { return shift<arith::ShRUIOp>(s, v); })
      .Case([&](CompareOp compare) { return compareScalars(s, compare.getKind(), v); })
      .Case([&](SelectOp) { return s.select(v[0], v[1], v[2]); })
      .Case([&](ConvertOp convertOp) { return convert(s, v[0], convertOp.getTo()); })
      .Default(Value());
}

Value lathe::lowerElementwise(Operation *op, OpBuilder &builder) {
  if (!op->hasTrait<ElementwiseTrait>())
    return {};
  NestBuilder nest(builder, op->getLoc(), cast<RankedTensorType>(op->getResult(0).getType()));
  for (Value operand : op->getOperands()) {
    SmallVector<AffineExpr> indices;
    for (int64_t i = 0; i < cast<RankedTensorType>(operand.getType()).getRank(); ++i)
      indices.push_back(nest.dim(i));
    nest.read(operand, indices);
  }
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) { return buildScalar(op, b, loc, scalars); });
}
