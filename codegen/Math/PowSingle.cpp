// Powers of f32 >= 0. Coefficients and tables: scripts/fit-math.py.
//
//   with FMA, pairs of f32: x = m 2^n; log2 x = n - log2 c + log2(m c), with c near 1 / m from a table of eight entries;
//     2^(y log2 x) from the rounded product and the rest
//   in f64, without FMA and for operands that the pairs do not cover: the same without a table
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// For each eighth of [sqrt(1/2), sqrt(2)), divided by bits: c near 1 / m, with so few bits that m c - 1 is exact and below
// 1/16, and -log2(c) = high + low, where high is a multiple of 2^-15
constexpr double centres[] = {1.375, 1.25, 1.1875, 1.0625, 1, 0.90625, 0.8125, 0.75};
constexpr double centreHigh[] = {-0x1.d678p-2, -0x1.49a8p-2, -0x1.fbcp-3, -0x1.664p-4,
                                 0x0p+0,       0x1.22ep-3,   0x1.32cp-2,  0x1.a9p-2};
constexpr double centreLow[] = {0x1.60fe68p-17, 0x1.ed0cbap-20,  -0x1.6b9026p-19, 0x1.20a6dep-21,
                                0x0p+0,         -0x1.48f554p-17, -0x1.1c8f12p-22, -0x1.a39fbep-20};
// log(1 + r) = r - r^2/2 + r^3/2 p(r), 2^f = 1 + f p(f): in f32
constexpr double singleLogTerms[] = {0x1.555556p-1, -0x1.ffff68p-2, 0x1.99934cp-2, -0x1.56ed86p-2, 0x1.2aed82p-2};
constexpr double exp2Terms[] = {0x1.62e430p-1, 0x1.ebfbd2p-3, 0x1.c6afa4p-5, 0x1.3b3402p-7, 0x1.5ef2b4p-10, 0x1.3dc3e2p-13};
// log2((1 + s) / (1 - s)) = s p(s^2), 2^f = p(f): in f64
constexpr double wideLog2Terms[] = {0x1.71547652bedf9p+1, 0x1.ec709d12c32fbp-1, 0x1.27777ff59a803p-1, 0x1.a58d818388aa2p-2,
                                    0x1.5ce8e97f8999ap-2};
constexpr double wideExp2Terms[] = {0x1.000000026b6bap+0, 0x1.62e430ca778dcp-1,  0x1.ebfbdacc39203p-3, 0x1.c6aed13af7384p-5,
                                    0x1.3b2dc2671081ep-7, 0x1.5f472faf86a27p-10, 0x1.41d1ae6a45139p-13};

/// Returns log2(x) of a normal x with a relative error of about 2^-33.
Pair log2Pair(Real x) {
  LogReduction reduced = reduceLog(x.bits());
  Bits eighth = reduced.counted >> 20;
  Real r = fma(reduced.m, lookup(eighth, centres), -1.0);
  // log(1 + r) = t + rest; all terms up to r^2/2 are exact.
  auto [halfSquare, error] = product(r, r * 0.5);
  Real t = r - halfSquare;
  Real rest = ((r - t) - halfSquare) - error;
  rest = fma(r * halfSquare, polynomial(r, singleLogTerms), rest);
  // Multiply by log2(e), also a pair.
  constexpr double high = 0x1.715476p+0, low = 0x1.4ae0cp-26;
  Real scaled = t * high;
  Real scaledLow = fma(rest, high, fma(t, low, fma(t, high, -scaled)));
  // This sum is exact, and either 0 or larger than the other terms.
  Pair total = exactSumOrdered(reduced.n + lookup(eighth, centreHigh), scaled);
  return {total.high, total.low + (scaledLow + lookup(eighth, centreLow))};
}

} // namespace

NormalPower powNormalSingle(Real x, Real y) {
  Pair logarithm = log2Pair(x);
  Real product = y * logarithm.high;
  Real low = fma(y, logarithm.low, productError(y, logarithm.high, product));
  Real sum = product + low;
  constexpr double magic = 0x1.8p23; // leaves the nearest integer in the low bits
  Real shifted = sum + magic;
  Real f = (product - (shifted - magic)) + low;
  Real power = fma(f, polynomial(f, exp2Terms), 1.0);
  return {(power.bits() + (shifted.bits() << x.fractionBits())).real(), sum};
}

Real powWideSingle(Real single, Real exponent) {
  Real x = widen(single), y = widen(exponent);
  LogReduction reduced = reduceLog(x.bits());
  Real s = (reduced.m - 1.0) / (reduced.m + 1.0);
  Real logarithm = fma(s, polynomial(s * s, wideLog2Terms), reduced.n);
  logarithm = select(x < x.infinity(), logarithm, x);
  logarithm = select(x == 0.0, -x.infinity(), logarithm);
  Real product = clamp(y * logarithm, -200.0, 200.0);
  double magic = std::ldexp(1.5, 52) + 1023;
  Real shifted = product + magic;
  Real fraction = product - (shifted - magic);
  return narrow(polynomial(fraction, wideExp2Terms) * (shifted.bits() << 52).real());
}

} // namespace lathe::elementary
