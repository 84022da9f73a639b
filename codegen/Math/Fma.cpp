// x y + z rounded once, on CPUs without an instruction for it:
//
//   f32: the product is exact in f64; the sum is rounded to odd there, then to f32
//   f64: the operands as m 2^e; the product and the sum as pairs; the low parts are added with rounding to odd, the high part
//        to nearest; the result is scaled by 2^e. Special operands select the plain x * y + z.
//
// A sum that is rounded to odd has a last bit of 1 if it is inexact, so that the second rounding never sees a false tie.
#include "codegen/Math/Functions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace lathe::elementary {

namespace {

/// Returns a + b rounded to odd: an inexact sum has a last bit of 1, so that rounding it again to fewer bits never sees a false
/// tie.
Real sumToOdd(Real a, Real b) {
  Pair sum = exactSum(a, b);
  Bits bits = sum.high.bits();
  Mask even = (bits & 1) == 0, inexact = (sum.low < 0.0) | (sum.low > 0.0);
  Mask away = ((sum.low.signBit() ^ sum.high.signBit()) == 0); // the lost part points away from 0
  Bits moved = bits + select(away, bits.like(1), bits.like(-1));
  return select(even & inexact, moved.real(), sum.high);
}

/// Computes in f64, where the product is exact and nothing over- or underflows.
Real fmaSingle(Real x, Real y, Real z) { return narrow(sumToOdd(widen(x) * widen(y), widen(z))); }

/// |x| = m 2^e with m in [1, 2) and an integer e. Unspecified for 0, infinity and NaN.
struct Parts {
  Real m;
  Bits e;
};
Parts split(Real x) {
  Mask denormal = abs(x) < 0x1p-1022;
  Bits bits = select(denormal, x * 0x1p54, x).bits();
  Bits field = (bits >> 52) & 0x7ff;
  Bits e = field - select(denormal, field.like(1023 + 54), field.like(1023));
  return {((bits & ~(int64_t(0x7ff) << 52)) | (int64_t(1023) << 52)).real(), e};
}

Mask less(Bits a, Bits b) {
  return {{a.emitter, arith::CmpIOp::create(a.emitter->builder, a.emitter->loc, arith::CmpIPredicate::slt, a.value, b.value)}};
}
Bits limit(Bits x, int64_t low, int64_t high) {
  Bits raised = select(less(x, x.like(low)), x.like(low), x);
  return select(less(x.like(high), raised), x.like(high), raised);
}
/// Returns 2^e for e from -1022 to 1023.
Real powerOfTwo(Bits e) { return ((e + 1023) << 52).real(); }

/// Returns y 2^e, if the result is representable or infinite.
Real scaleExactly(Real y, Bits e) {
  for (int i = 0; i < 3; ++i) {
    Bits step = limit(e, -1022, 1023);
    y = y * powerOfTwo(step);
    e = e - step;
  }
  return y;
}

/// Returns a * b - product, exactly, for numbers in [1, 2) (Dekker 1971).
Real exactProductError(Real a, Real b, Real product) {
  auto upper = [](Real x) { // rounded to 26 bits
    Real large = x * 0x1.0000002p+27;
    return large - (large - x);
  };
  Real aHigh = upper(a), bHigh = upper(b), aLow = a - aHigh, bLow = b - bHigh;
  return ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow;
}

/// Computes the result for finite nonzero operands (Boldo and Melquiond 2008: the low parts are added with rounding to odd,
/// then the high part to nearest).
Real fmaFinite(Real x, Real y, Real z) {
  Parts a = split(x), b = split(y), c = split(z);
  // Everything is scaled by 2^-e. A summand far below the other's last bit has the same effect at any smaller distance.
  Bits product = a.e + b.e, apart = c.e - product, near = limit(apart, -120, 120);
  Bits e = select(less(apart, apart.like(120)), product, c.e - 120);
  Real third = c.m * powerOfTwo(near), high = a.m * b.m;
  Pair low = exactSum(third, exactProductError(a.m, b.m, high));
  Pair total = exactSum(high, low.high);
  Pair sum = exactSum(total.high, sumToOdd(low.low, total.low));
  // A denormal result has its last bit at 2^-1074: adding the smallest normal number moves the rounding there.
  Real normal = powerOfTwo(limit(e.like(-1022) - e, -1022, 1022));
  Real ruler = select(abs(sum.high) < normal, copysign(normal, sum.high), 0.0);
  Pair shifted = exactSum(ruler, sum.high);
  Real rounded = (shifted.high + sumToOdd(shifted.low, sum.low)) - ruler;
  rounded = select(rounded == 0.0, copysign(rounded, sum.high), rounded); // an underflow keeps its sign
  return scaleExactly(rounded, e);
}

Real fmaDouble(Real x, Real y, Real z) {
  Mask finite = (abs(x) < x.infinity()) & (abs(y) < x.infinity());
  Mask regular = finite & (abs(z) < x.infinity()) & (x != 0.0) & (y != 0.0);
  Real plain = select(finite & !(abs(z) < x.infinity()), z, x * y + z); // a product that overflows must not meet an infinite z
  plain = select(regular & (z == 0.0), x * y, plain);
  return select(regular & (z != 0.0), fmaFinite(x, y, z), plain);
}

} // namespace

Real fusedMultiplyAdd(Real x, Real y, Real z) {
  if (x.emitter->hasFMA)
    return fma(x, y, z);
  return x.isSingle() ? fmaSingle(x, y, z) : fmaDouble(x, y, z);
}

} // namespace lathe::elementary
