// log and log1p. Coefficients: scripts/fit-math.py.
#include "codegen/CPU/Math/Functions.h"

namespace lathe::cpu::elementary {

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

/// Adds what log makes of operands outside (0, inf).
Real withSpecialCases(Real x, Real zeroAt, Real y) {
  y = select(x < x.infinity(), y, x); // inf and NaN
  y = select(x == zeroAt, -x.infinity(), y);
  return select(x < zeroAt, std::numeric_limits<double>::quiet_NaN(), y);
}

} // namespace

Real logKernel(Real n, Real f) {
  double high = n.pick(0x1.62e4p-1, 0x1.62e42feep-1), low = n.pick(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33);
  // n * high is exact and, unless n = 0, larger than f: the rounding error of their sum comes back with the small terms.
  Real nHigh = n * high;
  Real sum = nHigh + f;
  Real lost = f - (sum - nHigh);
  return sum + fma(n, low, logTail(f) + lost);
}

LogReduction reduceLog(Bits bits) {
  bool single = mlir::getElementTypeOrSelf(bits.type()).isInteger(32);
  int shift = single ? 23 : 52;
  int64_t sqrtHalf = single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  // Counting from sqrt(1/2), not from 1, the exponent field is n + bias + whatever keeps it positive.
  int64_t bias = single ? 127 : 1023, one = bias << shift;
  Bits counted = bits + (one - sqrtHalf);
  Bits field = counted >> shift;
  Bits scale = field << shift; // (n + bias) << shift
  // As the low bits of 2^fractionBits the field becomes a float by one subtraction: AVX2 cannot convert 64 bits.
  int64_t magic = static_cast<int64_t>(bias + shift) << shift;
  Real n = (field | magic).real() - (std::ldexp(1.0, shift) + static_cast<double>(bias));
  return {n, (bits - scale + one).real(), scale};
}

Real log(Real x) {
  Mask denormal = x < x.pick(0x1p-126, 0x1p-1022);
  Real normal = select(denormal, x * x.pick(0x1p24, 0x1p54), x);
  LogReduction reduced = reduceLog(normal.bits());
  Real n = select(denormal, reduced.n - x.pick(24.0, 54.0), reduced.n);
  return withSpecialCases(x, x.like(0.0), logKernel(n, reduced.m - 1.0));
}

Real log1p(Real x) {
  // 1 + x = u + lost exactly.
  Real u = x + 1.0;
  Real v = u - 1.0;
  Real lost = (1.0 - (u - v)) + (x - v);
  LogReduction reduced = reduceLog(u.bits());
  // f = (u + lost) 2^-n - 1. Twice the factor 2^-n, as n may be bias + 1.
  Real factor = (reduced.scale.like(static_cast<int64_t>(2 * x.exponentBias() + 1) << x.fractionBits()) - reduced.scale).real();
  Real f = fma(lost * 0.5, factor, reduced.m - 1.0);
  Real y = select(abs(x) < x.pick(0x1p-30, 0x1p-60), x, logKernel(reduced.n, f));
  return withSpecialCases(x, x.like(-1.0), y);
}

} // namespace lathe::cpu::elementary
