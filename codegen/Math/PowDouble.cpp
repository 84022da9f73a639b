// pow of f64. Coefficients: scripts/fit-math.py.
//
//   log x = high + low, a pair with a relative error of about 2^-65
//   x^y = exp(y high), with y low and the rounding error of y high added to the reduced argument
//
// The pair is needed because exp multiplies the absolute error of its argument, up to 710, into a relative one.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// log((1 + s) / (1 - s)) = 2 s (1 + z (1/3 + z p(z))), z = s^2
constexpr double logTerms[] = {0x1.9999999999b3p-3,  0x1.2492492457d3bp-3, 0x1.c71c722d6c45fp-4, 0x1.745ce9e0823a5p-4,
                               0x1.3b1eecaea1237p-4, 0x1.0f7fd82e1539dp-4, 0x1.0e4362b4262d9p-4};

/// Returns log(m) / 2 for m in [sqrt(1/2), sqrt(2)).
Pair halfLog(Real m) {
  Real f = m - 1.0;
  Pair d = exactSumOrdered(m.like(1.0), m); // exact for m > 1 as well: both differences are representable
  Real reciprocal = 1.0 / d.high;
  Pair s = {f * reciprocal, f};
  Pair back = product(s.high, d.high);
  s.low = (((f - back.high) - back.low) - s.high * d.low) * reciprocal;
  Pair z = product(s, s);
  Real tail = fma(z.high, polynomial(z.high, logTerms), 0x1.5555555555555p-56);
  Pair series = product(z, exactSumOrdered(tail.like(0x1.5555555555555p-2), tail));
  Pair rest = product(s, series);
  Pair result = exactSumOrdered(s.high, rest.high);
  return {result.high, result.low + (s.low + rest.low)};
}

} // namespace

Pair logPair(Real x) {
  Mask denormal = x < 0x1p-1022;
  LogReduction reduced = reduceLog(select(denormal, x * 0x1p54, x).bits());
  Real n = select(denormal, reduced.n - 54.0, reduced.n);
  Pair half = halfLog(reduced.m);
  // The high part of ln2 has 42 bits, so that its product with n is exact.
  Pair total = exactSumOrdered(n * 0x1.62e42fefa38p-1, half.high * 2.0);
  Real low = fma(n, 0x1.ef35793c7673p-45, fma(half.low, 2.0, total.low));
  return exactSumOrdered(total.high, low);
}

Real powMagnitudeDouble(Real x, Real y) {
  Pair logarithm = logPair(x);
  Real high = select(x < x.infinity(), logarithm.high, x);
  high = select(x == 0.0, -x.infinity(), high);
  Real main = y * high;
  Real low = productError(y, high, main) + y * logarithm.low;
  // Beyond the range, where the pair may hold infinities, the high part suffices.
  low = select(abs(main) < 1500.0, low, 0.0);
  ExpReduction reduced = reduceExp(clamp(main, -1418.17, 710.0));
  return scaleInTwoSteps(expm1Kernel(reduced.r + low) + 1.0, reduced.biased);
}

} // namespace lathe::elementary
