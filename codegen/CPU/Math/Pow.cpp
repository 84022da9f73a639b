// pow: special cases, and f32 by way of f64. Coefficients: scripts/fit-math.py.
#include "codegen/CPU/Math/Functions.h"

namespace lathe::cpu::elementary {

namespace {

// log2((1 + s) / (1 - s)) = s p(s^2), 2^f = p(f): in f64, for results of f32
constexpr double log2Terms[] = {0x1.71547652bedf9p+1, 0x1.ec709d12c32fbp-1, 0x1.27777ff59a803p-1, 0x1.a58d818388aa2p-2,
                                0x1.5ce8e97f8999ap-2};
constexpr double exp2Terms[] = {0x1.000000026b6bap+0, 0x1.62e430ca778dcp-1,  0x1.ebfbdacc39203p-3, 0x1.c6aed13af7384p-5,
                                0x1.3b2dc2671081ep-7, 0x1.5f472faf86a27p-10, 0x1.41d1ae6a45139p-13};

/// 2^(y log2 x) for x >= 0, with an infinite logarithm at 0 and infinity. f32 values are normal numbers of f64 all.
Real powMagnitudeSingle(Real single, Real exponent) {
  Real x = widen(single), y = widen(exponent);
  LogReduction reduced = reduceLog(x.bits());
  Real s = (reduced.m - 1.0) / (reduced.m + 1.0);
  Real logarithm = fma(s, polynomial(s * s, log2Terms), reduced.n);
  logarithm = select(x < x.infinity(), logarithm, x);
  logarithm = select(x == 0.0, -x.infinity(), logarithm);
  Real product = clamp(y * logarithm, -200.0, 200.0);
  double magic = std::ldexp(1.5, 52) + 1023;
  Real shifted = product + magic;
  Real fraction = product - (shifted - magic);
  return narrow(polynomial(fraction, exp2Terms) * (shifted.bits() << 52).real());
}

} // namespace

Real pow(Real x, Real y) {
  Real magnitude = abs(x);
  Real result = x.isSingle() ? powMagnitudeSingle(magnitude, y) : powMagnitudeDouble(magnitude, y);
  // Infinity and every number past 2^fractionBits is an even integer.
  Mask integral = trunc(y) == y;
  Real half = y * 0.5;
  Mask odd = integral & (trunc(half) != half);
  result = select(odd, copysign(result, x), result);
  Mask invalid = (x < 0.0) & (x > -x.infinity()) & !integral & (y == y);
  result = select(invalid, std::numeric_limits<double>::quiet_NaN(), result);
  Mask one = (x == 1.0) | (y == 0.0) | ((magnitude == 1.0) & (abs(y) == x.infinity()));
  return select(one, 1.0, result);
}

} // namespace lathe::cpu::elementary
