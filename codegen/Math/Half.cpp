// Conversions between f16 and bf16, held as bits, and the floats used for computation:
//
//   widening: shift the bits to f32's position and correct the exponent; denormals by a subtraction of floats
//   narrowing f32: round the bits to nearest even by an addition; selects for denormals, infinities and NaN
//   narrowing f64: to f32 with rounding to odd first, so that the second rounding sees no false tie
//
// A native instruction replaces this if the target has one. Without it, LLVM would emit library calls. x86's instruction for
// bf16 flushes denormals, and is used where products do so anyway.
#include "codegen/Math/Arithmetic.h"
#include "codegen/Math/Math.h"

using namespace mlir;

namespace lathe::elementary {

static Bits widenBits(Emitter &emitter, Value half) {
  Type wide = withElement(half.getType(), emitter.builder.getI32Type());
  return {{&emitter, arith::ExtUIOp::create(emitter.builder, emitter.loc, wide, half)}};
}

static Value lowHalf(Bits bits) {
  OpBuilder &b = bits.emitter->builder;
  return arith::TruncIOp::create(b, bits.emitter->loc, withElement(bits.type(), b.getIntegerType(16)), bits.value);
}

/// Moves the five exponent bits to the position of f32's eight; a denormal is the difference of two normal numbers.
static Real float16ToSingle(Bits half) {
  constexpr int64_t kBias = int64_t(127 - 15) << 23, kExponent = int64_t(31) << 23;
  Bits shifted = (half & 0x7FFF) << 13, exponent = shifted & kExponent, moved = shifted + kBias;
  Real denormal = (moved + (int64_t(1) << 23)).real() - 0x1p-14;
  Bits special = moved + kBias; // infinity and NaN
  Bits magnitude = select(exponent == kExponent, special, select(exponent == 0, denormal.bits(), moved));
  return (magnitude | ((half & 0x8000) << 16)).real();
}

Value emitExtend(OpBuilder &builder, Location loc, Value half, Type type, MathTarget target) {
  Emitter emitter{builder, loc, target.hasFMA};
  if (type.isBF16() && !target.hasBF16)
    return (widenBits(emitter, half) << 16).real().value;
  if (type.isF16() && !target.hasF16C)
    return float16ToSingle(widenBits(emitter, half)).value;
  Value native = arith::BitcastOp::create(builder, loc, withElement(half.getType(), type), half);
  return arith::ExtFOp::create(builder, loc, withElement(half.getType(), builder.getF32Type()), native);
}

/// Rounds to nearest, ties to even. A NaN becomes quiet and keeps the part of its payload that fits.
static Bits singleToBFloat16(Real x) {
  Bits bits = x.bits(), last = (bits >> 16) & 1;
  Bits rounded = (bits + last + 0x7FFF) >> 16;
  return select(x.isNaN(), (bits >> 16) | 0x40, rounded);
}

/// The same, but numbers below 2^-126 become zeros of their sign, in one instruction for a vector that fills AVX-512's
/// registers.
static Value flushToBFloat16(Real x) {
  OpBuilder &b = x.emitter->builder;
  Location loc = x.emitter->loc;
  auto vector = dyn_cast<VectorType>(x.type());
  if (vector && vector.getNumElements() == 16) {
    StringAttr name = b.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16.512");
    Value half = LLVM::CallIntrinsicOp::create(b, loc, withElement(vector, b.getBF16Type()), name, x.value).getResult(0);
    return arith::BitcastOp::create(b, loc, withElement(vector, b.getIntegerType(16)), half);
  }
  Bits bits = x.bits();
  return lowHalf(select((bits & 0x7F800000) == 0, (bits >> 16) & 0x8000, singleToBFloat16(x)));
}

static Bits singleToFloat16(Real x) {
  constexpr int64_t kBias = int64_t(127 - 15) << 23, kSmallestNormal = int64_t(127 - 14) << 23;
  Bits bits = x.bits(), magnitude = bits & 0x7FFFFFFF, sign = (bits >> 16) & 0x8000;
  Real size = magnitude.real();
  Bits normal =
      (magnitude - kBias + ((magnitude >> 13) & 1) + 0xFFF) >> 13; // a carry propagates into the exponent, up to infinity
  // One half has the denormals' last bit as its own, so that the sum is rounded there.
  Bits denormal = (size + 0.5).bits() - (int64_t(126) << 23);
  Bits nan = ((magnitude >> 13) & 0x3FF) | 0x7E00;
  Bits finite = select(size < magnitude.like(kSmallestNormal).real(), denormal, normal);
  Bits result = select(size >= 0x1p16, size.like(0).bits() | 0x7C00, finite);
  return select(size.isNaN(), nan, result) | sign;
}

/// Narrows f64 to f32 such that another rounding gives the correctly rounded result: inexact results get an odd last bit.
static Real narrowToOdd(Real x) {
  Real rounded = narrow(x), back = widen(rounded);
  Bits bits = rounded.bits();
  // If rounded away from zero, step back towards zero. Infinity steps back to the largest number.
  Bits truncated = select(abs(back) > abs(x), bits - 1, bits);
  return select(back != x, truncated | 1, bits).real();
}

Value emitTruncate(OpBuilder &builder, Location loc, Value value, Type type, MathTarget target) {
  Emitter emitter{builder, loc, target.hasFMA};
  Real x = {{&emitter, value}};
  if (!x.isSingle()) {
    Real odd = narrowToOdd(x);
    x = select(x.isNaN(), narrow(x), odd);
  }
  if (type.isBF16() && target.flushesBF16)
    return flushToBFloat16(x);
  bool isNative = type.isBF16() ? target.hasBF16 : target.hasF16C;
  if (!isNative)
    return lowHalf(type.isBF16() ? singleToBFloat16(x) : singleToFloat16(x));
  // LLVM 22 takes the sign of copysign from before a rounding; rounding a sign from f64 to f16 would be a library call.
  if (!isa<VectorType>(x.type()))
    x.value = LLVM::CallIntrinsicOp::create(builder, loc, x.type(), builder.getStringAttr("llvm.arithmetic.fence"), x.value)
                  .getResult(0);
  Value native = arith::TruncFOp::create(builder, loc, withElement(x.type(), type), x.value);
  return arith::BitcastOp::create(builder, loc, withElement(x.type(), builder.getIntegerType(16)), native);
}

} // namespace lathe::elementary
