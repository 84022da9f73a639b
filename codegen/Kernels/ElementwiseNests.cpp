// Elementwise ops as nests: result[indices] = f(operand[indices], ...), where f is a scalar computation in arith, math and, for
// elementary functions, lathe.apply (codegen/Math). Integers get code for the cases that hardware leaves undefined: division by
// 0, shifts past the width, and conversions out of range.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

namespace {
/// Helpers for the scalar computations.
struct Scalars {
  OpBuilder &b;
  Location loc;
  bool isUnsigned; // of the op's first operand: the types here are signless

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
  if (isFloat(x)) { // zeros and NaN keep their value
    Value low = s.select(s.compare(arith::CmpFPredicate::OLT, x, zero), minus, x);
    return s.select(s.compare(arith::CmpFPredicate::OGT, x, zero), one, low);
  }
  if (s.isUnsigned)
    return s.select(s.compare(arith::CmpIPredicate::ne, x, zero), one, zero);
  Value low = s.select(s.compare(arith::CmpIPredicate::slt, x, zero), minus, zero);
  return s.select(s.compare(arith::CmpIPredicate::sgt, x, zero), one, low);
}

/// Returns a divisor that never traps, and whether the actual divisor is 0.
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

/// Returns the correctly rounded quotient of floats, even where approximations are allowed.
static Value exactQuotient(Scalars s, Value x, Value y) {
  auto quotient = arith::DivFOp::create(s.b, s.loc, x, y);
  quotient->setAttr(kExactAttr, s.b.getUnitAttr());
  return quotient;
}

static Value divide(Scalars s, ValueRange v, bool isExact = false) {
  if (isFloat(v[0]))
    return isExact ? exactQuotient(s, v[0], v[1]) : arith::DivFOp::create(s.b, s.loc, v).getResult();
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
  unsigned bits = type.getIntOrFloatBitWidth();                                   // a power of 2
  Value fits = s.compare(arith::CmpIPredicate::ult, v[1], s.integer(type, bits)); // unsigned: rejects negative amounts too
  // Mask the amount: if an i64 amount is only compared with 64, LLVM's NVPTX keeps the low 32 bits and drops the comparison.
  Value amount = arith::AndIOp::create(s.b, s.loc, v[1], s.integer(type, bits - 1));
  return s.select(fits, ShiftOp::create(s.b, s.loc, v[0], amount), s.integer(type, 0));
}

/// Clamps to the range of an integer type whose ends the float type has, and converts: two instructions instead of selects in
/// the integers' vectors, which are narrower.
static Value clampToInt(Scalars s, Value x, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  bool unsignedTo = to.isUnsignedInteger();
  Value low = s.constant(x.getType(), unsignedTo ? 0 : -std::ldexp(1.0, width - 1));
  Value high = s.constant(x.getType(), std::ldexp(1.0, unsignedTo ? width : width - 1) - 1);
  if (!unsignedTo) // NaN becomes 0, which is the lower end of unsigned types
    x = s.select(s.compare(arith::CmpFPredicate::ORD, x, x), x, s.constant(x.getType(), 0));
  x = s.select(s.compare(arith::CmpFPredicate::OGT, x, low), x, low);
  x = s.select(s.compare(arith::CmpFPredicate::OLT, x, high), x, high);
  if (unsignedTo)
    return arith::FPToUIOp::create(s.b, s.loc, scalarOf(to), x);
  return arith::FPToSIOp::create(s.b, s.loc, scalarOf(to), x);
}

/// Clamps to the range of the integer type. Its ends are compared as powers of two, which floats represent exactly.
static Value floatToInt(Scalars s, Value x, Type to) {
  Value zero = s.constant(x.getType(), 0);
  if (to.isInteger(1))
    return s.compare(arith::CmpFPredicate::UNE, x, zero);
  unsigned width = to.getIntOrFloatBitWidth();
  if (width <= cast<FloatType>(x.getType()).getFPMantissaWidth() && width <= 16)
    return clampToInt(s, x, to);
  bool unsignedTo = to.isUnsignedInteger();
  Type signless = scalarOf(to);
  Value low = unsignedTo ? zero : s.constant(x.getType(), -std::ldexp(1.0, width - 1));
  Value high = s.constant(x.getType(), std::ldexp(1.0, unsignedTo ? width : width - 1));
  Value below = s.compare(arith::CmpFPredicate::OLT, x, low), above = s.compare(arith::CmpFPredicate::OGE, x, high);
  Value inside = arith::AndIOp::create(s.b, s.loc, s.compare(arith::CmpFPredicate::OGE, x, low),
                                       s.compare(arith::CmpFPredicate::OLT, x, high));
  Value safe = s.select(inside, x, zero); // NaN becomes 0
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
  if (narrow == wide) // both signednesses have one signless type here
    return x;
  if (narrow < wide)
    return arith::TruncIOp::create(s.b, s.loc, scalarOf(to), x);
  return s.isUnsigned ? arith::ExtUIOp::create(s.b, s.loc, scalarOf(to), x).getResult()
                      : arith::ExtSIOp::create(s.b, s.loc, scalarOf(to), x).getResult();
}

/// Shifts right; an amount out of range gives copies of the sign.
static Value shiftArithmetic(Scalars s, Value x, Value amount) {
  Value last = s.integer(x.getType(), x.getType().getIntOrFloatBitWidth() - 1);
  Value fits = s.compare(arith::CmpIPredicate::ult, amount, last); // unsigned: rejects negative amounts too
  return arith::ShRSIOp::create(s.b, s.loc, x, s.select(fits, amount, last));
}

static Value greatest(Scalars s, ValueRange v) { return either<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(s, v); }
static Value least(Scalars s, ValueRange v) { return either<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(s, v); }

/// True if a nonzero remainder and the divisor have opposite signs.
static Value isOpposite(Scalars s, Value remainder, Value divisor) {
  Value zero = s.constant(divisor.getType(), 0);
  auto less = [&](Value x) {
    return isFloat(x) ? s.compare(arith::CmpFPredicate::OLT, x, zero) : s.compare(arith::CmpIPredicate::slt, x, zero);
  };
  Value nonzero = isFloat(remainder) ? s.compare(arith::CmpFPredicate::ONE, remainder, zero)
                                     : s.compare(arith::CmpIPredicate::ne, remainder, zero);
  return arith::AndIOp::create(s.b, s.loc, nonzero, arith::XOrIOp::create(s.b, s.loc, less(remainder), less(divisor)));
}

static Value floorRemainder(Scalars s, ValueRange v) {
  if (s.isUnsigned)
    return remainder(s, v);
  Value x = v[0], y = v[1], r = remainder(s, v), zero = s.constant(x.getType(), 0);
  Value moved = s.select(isOpposite(s, r, y), either<arith::AddFOp, arith::AddIOp>(s, {r, y}), r);
  if (isFloat(x)) {
    Value isZero = s.compare(arith::CmpFPredicate::OEQ, r, zero);
    return s.select(isZero, math::CopySignOp::create(s.b, s.loc, zero, y), moved);
  }
  return s.select(s.compare(arith::CmpIPredicate::eq, y, zero), x, moved);
}

static Value floorDivide(Scalars s, ValueRange v) {
  if (s.isUnsigned)
    return divide(s, v);
  Value x = v[0], y = v[1], r = remainder(s, v), zero = s.constant(x.getType(), 0), one = s.constant(x.getType(), 1);
  if (!isFloat(x)) {
    Value quotient = divide(s, v), isZero = s.compare(arith::CmpIPredicate::eq, y, zero);
    Value lower = s.select(isOpposite(s, r, y), arith::SubIOp::create(s.b, s.loc, quotient, one), quotient);
    return s.select(isZero, quotient, lower);
  }
  using F = arith::CmpFPredicate;
  Value plain = exactQuotient(s, x, y);
  // (x - r) / y is an integer up to rounding.
  Value quotient = exactQuotient(s, arith::SubFOp::create(s.b, s.loc, x, r), y);
  quotient = s.select(isOpposite(s, r, y), arith::SubFOp::create(s.b, s.loc, quotient, one), quotient);
  Value whole = math::FloorOp::create(s.b, s.loc, quotient);
  Value rest = arith::SubFOp::create(s.b, s.loc, quotient, whole);
  Value above = s.compare(F::OGT, rest, s.constant(x.getType(), 0.5));
  whole = s.select(above, arith::AddFOp::create(s.b, s.loc, whole, one), whole);
  Value result = s.select(s.compare(F::OEQ, quotient, zero), math::CopySignOp::create(s.b, s.loc, zero, plain), whole);
  return s.select(s.compare(F::OEQ, y, zero), plain, result);
}

/// Returns the integer type of a float's width.
static Type bitsOf(Scalars s, Type type) { return s.b.getIntegerType(type.getIntOrFloatBitWidth()); }
static Value bitcast(Scalars s, Value x, Type to) {
  return x.getType() == to ? x : arith::BitcastOp::create(s.b, s.loc, to, x).getResult();
}

/// Uses integer operations. LLVM's copysign looks through the rounding of its operand and may then need a rounding from f64 to
/// f16, which no CPU has.
static Value copysign(Scalars s, Value magnitude, Value sign) {
  Type integer = bitsOf(s, magnitude.getType());
  APInt top = APInt::getSignedMinValue(integer.getIntOrFloatBitWidth());
  auto masked = [&](Value x, const APInt &mask) -> Value {
    Value bits = arith::ConstantOp::create(s.b, s.loc, s.b.getIntegerAttr(integer, mask));
    return arith::AndIOp::create(s.b, s.loc, bitcast(s, x, integer), bits);
  };
  return bitcast(s, arith::OrIOp::create(s.b, s.loc, masked(magnitude, ~top), masked(sign, top)), magnitude.getType());
}

/// Steps to the next bit pattern: floats of one sign are ordered like their bits.
static Value nextafter(Scalars s, Value x, Value y) {
  using F = arith::CmpFPredicate;
  Type type = x.getType(), integer = bitsOf(s, type);
  Value zero = s.constant(type, 0), bits = bitcast(s, x, integer), one = s.integer(integer, 1);
  Value outward = s.compare(arith::CmpIPredicate::eq, s.compare(F::OLT, x, y), s.compare(F::OGT, x, zero));
  Value moved = arith::AddIOp::create(s.b, s.loc, bits, s.select(outward, one, s.integer(integer, -1)));
  Value smallest = copysign(s, bitcast(s, one, type), y);
  Value next = s.select(s.compare(F::OEQ, x, zero), smallest, bitcast(s, moved, type));
  next = s.select(s.compare(F::OEQ, x, y), y, next);
  return s.select(s.compare(F::UNO, x, y), arith::AddFOp::create(s.b, s.loc, x, y), next);
}

static Value limit(Scalars s, Value x, int64_t low, int64_t high) {
  Value raised = arith::MaxSIOp::create(s.b, s.loc, x, s.integer(x.getType(), low));
  return arith::MinSIOp::create(s.b, s.loc, raised, s.integer(x.getType(), high));
}

/// Multiplies by powers of two such that only the last product may be rounded. An earlier one in the denormal range would cause
/// double rounding.
static Value ldexp(Scalars s, Value x, Value exponent) {
  auto type = cast<FloatType>(x.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int64_t largest = APFloat::semanticsMaxExponent(semantics), smallest = APFloat::semanticsMinExponent(semantics),
          digits = APFloat::semanticsPrecision(semantics), down = smallest + digits, range = largest - smallest + digits;
  Type integer = bitsOf(s, type);
  if (exponent.getType().getIntOrFloatBitWidth() >= 16) // a narrower exponent is within the range
    exponent = limit(s, exponent, -2 * range, 2 * range);
  exponent = convert(s, exponent, integer);
  auto scale = [&](Value amount) {
    Value field = arith::AddIOp::create(s.b, s.loc, amount, s.integer(integer, largest));
    Value power = arith::ShLIOp::create(s.b, s.loc, field, s.integer(integer, digits - 1));
    x = arith::MulFOp::create(s.b, s.loc, x, bitcast(s, power, type));
  };
  for (int64_t covered = -smallest; covered < range; covered -= down) {
    Value below = s.compare(arith::CmpIPredicate::slt, exponent, s.integer(integer, smallest));
    Value above = s.compare(arith::CmpIPredicate::sgt, exponent, s.integer(integer, largest));
    Value step = s.select(below, s.integer(integer, down), s.select(above, s.integer(integer, largest), s.integer(integer, 0)));
    scale(step);
    exponent = arith::SubIOp::create(s.b, s.loc, exponent, step);
  }
  scale(limit(s, exponent, smallest, largest));
  return x;
}

static Value apply(Scalars s, StringRef function, ValueRange v, IntegerAttr order = {}) {
  return ApplyOp::create(s.b, s.loc, v[0].getType(), s.b.getStringAttr(function), v, order);
}

static Value exponential(Scalars s, ExpOp op, ValueRange v) {
  Value result = apply(s, "exp", v);
  if (op->hasAttr(kNonpositiveAttr))
    result.getDefiningOp()->setAttr(kNonpositiveAttr, s.b.getUnitAttr());
  return result;
}

/// Computes x^y as (x^2)^(y / 2), times x if y is odd: half of an unsigned exponent is not negative as a signed number.
static Value unsignedPower(Scalars s, Value x, Value y) {
  Value one = s.integer(y.getType(), 1);
  Value even = apply(s, "pow", {arith::MulIOp::create(s.b, s.loc, x, x), arith::ShRUIOp::create(s.b, s.loc, y, one)});
  Value isOdd = s.compare(arith::CmpIPredicate::ne, arith::AndIOp::create(s.b, s.loc, y, one), s.integer(y.getType(), 0));
  return arith::MulIOp::create(s.b, s.loc, even, s.select(isOdd, x, one));
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
  using F = arith::CmpFPredicate;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto unary = [&](auto tag) -> Value { return decltype(tag)::create(builder, location, v[0]); };
  auto binary = [&](auto tag) -> Value { return decltype(tag)::create(builder, location, v[0], v[1]); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](NegOp) { return negate(s, v[0]); })
      .Case([&](AbsOp) { return absolute(s, v[0]); })
      .Case([&](SignOp) { return sign(s, v[0]); })
      .Case([&](SqrtOp) { return unary(math::SqrtOp()); })
      .Case([&](FloorOp) { return unary(math::FloorOp()); })
      .Case([&](CeilOp) { return unary(math::CeilOp()); })
      .Case([&](RoundOp) { return unary(math::RoundEvenOp()); })
      .Case([&](TruncOp) { return unary(math::TruncOp()); })
      .Case([&](RoundHalfAwayOp) { return unary(math::RoundOp()); })
      .Case([&](IsNanOp) { return s.compare(F::UNO, v[0], v[0]); })
      .Case([&](IsInfOp) { return s.compare(F::OEQ, absolute(s, v[0]), s.constant(v[0].getType(), infinity)); })
      .Case([&](IsFiniteOp) { return s.compare(F::OLT, absolute(s, v[0]), s.constant(v[0].getType(), infinity)); })
      .Case([&](PopcountOp) { return unary(math::CtPopOp()); })
      .Case([&](CountLeadingZerosOp) { return unary(math::CountLeadingZerosOp()); })
      .Case([&](CountTrailingZerosOp) { return unary(math::CountTrailingZerosOp()); })
      .Case([&](BitcastOp cast) { return bitcast(s, v[0], scalarOf(cast.getTo())); })
      .Case([&](NotOp) { return Value(arith::XOrIOp::create(builder, location, v[0], s.integer(v[0].getType(), -1))); })
      .Case([&](StopGradientOp) { return v[0]; })
      .Case([&](AddOp) { return either<arith::AddFOp, arith::AddIOp>(s, v); })
      .Case([&](SubOp) { return either<arith::SubFOp, arith::SubIOp>(s, v); })
      .Case([&](MulOp) { return either<arith::MulFOp, arith::MulIOp>(s, v); })
      .Case([&](DivOp division) { return divide(s, v, division->hasAttr(kExactAttr)); })
      .Case([&](RemOp) { return remainder(s, v); })
      .Case([&](FloorDivOp) { return floorDivide(s, v); })
      .Case([&](FloorModOp) { return floorRemainder(s, v); })
      .Case([&](CopysignOp) { return copysign(s, v[0], v[1]); })
      .Case([&](NextafterOp) { return nextafter(s, v[0], v[1]); })
      .Case([&](LdexpOp) { return ldexp(s, v[0], v[1]); })
      .Case([&](ClampOp) { return least(s, {greatest(s, {v[1], v[0]}), v[2]}); })
      .Case([&](MaxOp) { return greatest(s, v); })
      .Case([&](MinOp) { return least(s, v); })
      .Case([&](AndOp) { return binary(arith::AndIOp()); })
      .Case([&](OrOp) { return binary(arith::OrIOp()); })
      .Case([&](XorOp) { return binary(arith::XOrIOp()); })
      .Case([&](ShiftLeftOp) { return shift<arith::ShLIOp>(s, v); })
      .Case([&](ShiftRightOp) { return shift<arith::ShRUIOp>(s, v); })
      .Case([&](ShiftRightArithmeticOp) { return s.isUnsigned ? shift<arith::ShRUIOp>(s, v) : shiftArithmetic(s, v[0], v[1]); })
      .Case([&](CompareOp compare) { return compareScalars(s, compare.getKind(), v); })
      .Case([&](SelectOp) { return s.select(v[0], v[1], v[2]); })
      .Case([&](ExpOp o) { return exponential(s, o, v); })
      .Case([&](PolygammaOp o) { return apply(s, "polygamma", v, o.getOrderAttr()); })
      .Case([&](ConvertOp convertOp) { return convert(s, v[0], convertOp.getTo()); })
      .Default([&](Operation *other) -> Value {
        if (!other->hasTrait<ElementaryTrait>())
          return {};
        return s.isUnsigned ? unsignedPower(s, v[0], v[1]) : apply(s, other->getName().stripDialect(), v);
      });
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
