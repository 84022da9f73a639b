// Logarithms, and the inverse hyperbolic functions computed with log1p. Coefficients: scripts/fit-math.py.
//
//   x = m 2^n with m = 1 + f in [sqrt(1/2), sqrt(2)); log x = n ln2 + f + tail(f)
//
// The tail is a polynomial of f or, in f64, of f / (2 + f). ln2 is the sum of two parts, the first so short that its product
// with n is exact. Selects replace the results of 0, negative, infinite and NaN operands at the end.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// log(1 + f) = f - f^2/2 + f^3 p(f)
constexpr double logSingle[] = {0x1.555548p-2,  -0x1.000006p-2, 0x1.99a45cp-3,  -0x1.555c3ap-3, 0x1.233f06p-3,
                                -0x1.fc2ce4p-4, 0x1.e68318p-4,  -0x1.ddd30ap-4, 0x1.14db4ap-4};
// log(1 + f) = 2 s + s z p(z), s = f / (2 + f), z = s^2
constexpr double logDouble[] = {0x1.5555555555592p-1, 0x1.999999997ff36p-2, 0x1.24924941df5bfp-2, 0x1.c71c5215db589p-3,
                                0x1.74663ca8ac972p-3, 0x1.39a1ee0be830ap-3, 0x1.2f0398531f0e8p-3};

/// log(1 + f) - f
Real logTail(Real f) {
  Real halfSquare = f * f * 0.5;
  if (f.isSingle())
    return fma(f * f * f, polynomial(f, logSingle), -halfSquare);
  Real s = f / (f + 2.0);
  Real z = s * s;
  // 2 s = f - s f, and s f = f^2/2 - s f^2/2: only terms far smaller than f are rounded.
  return fma(s, fma(z, polynomial(z, logDouble), halfSquare), -halfSquare);
}

/// Replaces the result for operands outside (0, inf).
Real withSpecialCases(Real x, Real zeroAt, Real y) {
  y = select(x < x.infinity(), y, x); // inf and NaN
  y = select(x == zeroAt, -x.infinity(), y);
  return select(x < zeroAt, std::numeric_limits<double>::quiet_NaN(), y);
}

} // namespace

Real logKernel(Real n, Real f) {
  double high = n.pick(0x1.62e4p-1, 0x1.62e42feep-1), low = n.pick(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33);
  // n * high is exact and, unless n = 0, larger than f: the rounding error of their sum is added to the small terms.
  Real nHigh = n * high;
  Real sum = nHigh + f;
  Real lost = f - (sum - nHigh);
  return sum + fma(n, low, logTail(f) + lost);
}

LogReduction reduceLog(Bits bits) {
  bool single = mlir::getElementTypeOrSelf(bits.type()).isInteger(32);
  int shift = single ? 23 : 52;
  int64_t sqrtHalf = single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  // Relative to sqrt(1/2) instead of 1, the exponent field is n + bias, which stays positive.
  int64_t bias = single ? 127 : 1023, one = bias << shift;
  Bits counted = bits + (one - sqrtHalf);
  Bits field = counted >> shift;
  Bits scale = field << shift; // (n + bias) << shift
  // The field becomes a float by one subtraction, as the low bits of 2^fractionBits: AVX2 cannot convert 64-bit integers.
  int64_t magic = static_cast<int64_t>(bias + shift) << shift;
  Real n = (field | magic).real() - (std::ldexp(1.0, shift) + static_cast<double>(bias));
  return {n, ((counted & ((int64_t(1) << shift) - 1)) + sqrtHalf).real(), scale, counted};
}

namespace {

/// n and f = m - 1 of a positive number, including denormals.
struct Logarithm {
  Real n, f;
};
Logarithm reduceAny(Real x) {
  Mask denormal = x < x.pick(0x1p-126, 0x1p-1022);
  LogReduction reduced = reduceLog(select(denormal, x * x.pick(0x1p24, 0x1p54), x).bits());
  return {select(denormal, reduced.n - x.pick(24.0, 54.0), reduced.n), reduced.m - 1.0};
}

} // namespace

Real log(Real x) {
  Logarithm reduced = reduceAny(x);
  return withSpecialCases(x, x.like(0.0), logKernel(reduced.n, reduced.f));
}

Real log2(Real x) {
  Logarithm reduced = reduceAny(x);
  Real ofRest = reduced.f + logTail(reduced.f);
  return withSpecialCases(x, x.like(0.0), fma(ofRest, 0x1.71547652b82fep+0, reduced.n)); // exact at powers of two
}

Real log10(Real x) {
  Logarithm reduced = reduceAny(x);
  Real ofRest = (reduced.f + logTail(reduced.f)) * 0x1.bcb7b1526e50ep-2;
  // log10(2) in two parts: the product of n with the first is exact.
  Real low = fma(reduced.n, x.pick(0x1.3509f8p-18, 0x1.fef311f12b358p-46), ofRest);
  return withSpecialCases(x, x.like(0.0), fma(reduced.n, x.pick(0x1.344p-2, 0x1.34413509f78p-2), low));
}

Real log1p(Real x) {
  // 1 + x = u + lost exactly.
  Real u = x + 1.0;
  Real v = u - 1.0;
  Real lost = (1.0 - (u - v)) + (x - v);
  LogReduction reduced = reduceLog(u.bits());
  // f = (u + lost) 2^-n - 1. The factor is 2 * 2^-n, since n may be bias + 1.
  Real factor = (reduced.scale.like(static_cast<int64_t>(2 * x.exponentBias() + 1) << x.fractionBits()) - reduced.scale).real();
  Real f = fma(lost * 0.5, factor, reduced.m - 1.0);
  Real y = select(abs(x) < x.pick(0x1p-30, 0x1p-60), x, logKernel(reduced.n, f));
  return withSpecialCases(x, x.like(-1.0), y);
}

namespace {

/// Returns log(1 + a), or log(2 x) for x from a limit on: there a would overflow, or equals 2 x.
Real log1pOrDouble(Real a, Real x) {
  Mask large = x >= x.pick(0x1p30, 0x1p60);
  return log1p(select(large, x, a)) + select(large, 0x1.62e42fefa39efp-1, x.like(0.0));
}

} // namespace

Real asinh(Real x) {
  Real magnitude = abs(x), square = x * x;
  Real a = magnitude + square / (1.0 + sqrt(square + 1.0));
  return copysign(log1pOrDouble(a, magnitude), x);
}

Real acosh(Real x) {
  Real t = x - 1.0; // exact if it is small
  Real y = log1pOrDouble(t + sqrt(t * (t + 2.0)), x);
  return select(x < 1.0, std::numeric_limits<double>::quiet_NaN(), y);
}

Real atanh(Real x) {
  Real magnitude = abs(x);
  return copysign(0.5 * log1p(2.0 * magnitude / (1.0 - magnitude)), x);
}

} // namespace lathe::elementary
