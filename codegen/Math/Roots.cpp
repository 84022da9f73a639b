// Roots: rsqrt, cbrt, hypot. Coefficients: scripts/fit-math.py.
//
//   cbrt:  |x| = m 2^(3 k + j); a polynomial of m gives 22 bits, one step of Halley's iteration the others; times 2^k
//   hypot: sqrt(x^2 + y^2), f32 in f64, f64 scaled by powers of two so that the squares stay in range
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// The cube root of a number in [sqrt(1/2), sqrt(2)), to 22 bits
constexpr double cbrtSeed[] = {0x1.97eab6p-2,  0x1.32725cp+0, -0x1.2fdfecp+0, 0x1.f130cep-1,
                               -0x1.079a44p-1, 0x1.3efac6p-3, -0x1.4def56p-6};

} // namespace

Real rsqrt(Real x) { return 1.0 / sqrt(x); }

Real cbrt(Real x) {
  // |x| = m 2^(3 k + j) with j in -1, 0, 1
  Real magnitude = abs(x);
  Mask denormal = magnitude < x.pick(0x1p-126, 0x1p-1022);
  LogReduction reduced = reduceLog(select(denormal, magnitude * x.pick(0x1p24, 0x1p54), magnitude).bits());
  RoundedInteger k = roundBiased(reduced.n * 0x1.5555555555555p-2);
  Real j = fma(k.n, -3.0, reduced.n);
  Mask up = j > 0.0, down = j < 0.0;
  Real w = select(up, reduced.m * 2.0, select(down, reduced.m * 0.5, reduced.m));
  Real y = polynomial(reduced.m, cbrtSeed);
  y = y * select(up, 0x1.428a2f98d728bp+0, select(down, 0x1.965fea53d6e3dp-1, x.like(1.0)));
  // One step of Halley's iteration triples the bits.
  Real cube = y * y * y;
  y = fma(y, (w - cube) / fma(cube, 2.0, w), y);
  Bits exponent = k.biased - select(denormal, k.biased.like(x.isSingle() ? 8 : 18), k.biased.like(0));
  y = y * (exponent << x.fractionBits()).real();
  return select((magnitude > 0.0) & (magnitude < x.infinity()), copysign(y, x), x);
}

Real hypot(Real x, Real y) {
  Real a = abs(x), b = abs(y);
  Mask infinite = (a == x.infinity()) | (b == x.infinity());
  Real root = a;
  if (x.isSingle()) {
    Real p = widen(a), q = widen(b);
    root = narrow(sqrt(fma(p, p, q * q)));
  } else {
    // Powers of two keep the squares in range; what the smaller operand loses is negligible.
    Mask huge = (a > 0x1p500) | (b > 0x1p500), tiny = !((a > 0x1p-400) | (b > 0x1p-400));
    Real down = select(huge, 0x1p-600, select(tiny, 0x1p600, x.like(1.0)));
    Real up = select(huge, 0x1p600, select(tiny, 0x1p-600, x.like(1.0)));
    Real p = a * down, q = b * down;
    root = sqrt(fma(p, p, q * q)) * up;
  }
  return select(infinite, x.infinity(), root);
}

} // namespace lathe::elementary
