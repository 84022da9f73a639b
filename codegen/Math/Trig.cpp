// sin, cos and tan. Coefficients: scripts/fit-math.py.
//
//   n = |x| 2/pi rounded, r + low = |x| - n pi/2             // a pair, since r may cancel; large |x|: TrigLarge.cpp
//   sine, cosine = polynomials of r, corrected by low
//   result = the one that the quadrant n mod 4 selects, with its sign; tan is their quotient
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// sin(r) = r + r t p(t), cos(r) = 1 - t/2 + t^2 p(t), t = r^2
constexpr double sinSingle[] = {-0x1.555556p-3, 0x1.11117p-7, -0x1.a053fap-13, 0x1.7a8c6ep-19};
constexpr double cosSingle[] = {0x1.555548p-5, -0x1.6c0af4p-10, 0x1.999128p-16};
constexpr double sinDouble[] = {-0x1.5555555555555p-3,  0x1.111111111106ep-7, -0x1.a01a019fffed9p-13, 0x1.71de3a367f0ecp-19,
                                -0x1.ae6430dcb831ep-26, 0x1.610d149308a6p-33, -0x1.a1d5827dffe1p-41};
constexpr double cosDouble[] = {0x1.5555555555548p-5,   -0x1.6c16c16c149a5p-10, 0x1.a01a019bef041p-16,
                                -0x1.27e4f77e2c5acp-22, 0x1.1ee98d7c704f2p-29,  -0x1.8f7e01fbea7dep-37};

// pi/2 in parts. Without FMA all but the last are short enough for their products with n to be exact up to the limit.
constexpr double halfPiSingle[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
constexpr double halfPiDouble[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double halfPiSinglePlain[] = {0x1.92p+0, 0x1.fb4p-12, 0x1.444p-24, 0x1.68c234p-39};
constexpr double halfPiDoublePlain[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};

/// The quadrant n and the rest r + low of a number.
struct Rest {
  Bits n;
  Real r, low;
};

/// Returns x - n pi/2 as a pair. It is exact except for the last two parts; the rounding error of the last but one goes into
/// the low number.
Pair subtractQuadrants(Real x, Real n, llvm::ArrayRef<double> parts) {
  Real r = x;
  for (double part : parts.drop_back(2))
    r = fma(n, -part, r);
  Real last = x.like(parts.drop_back().back()), product = n * last;
  Real productLow =
      x.emitter->hasFMA ? fma(n, last, -product) : x.like(0.0); // without FMA the parts are short enough to be exact
  Pair rest = exactSumOrdered(r, -product);
  return exactSumOrdered(rest.high, rest.low - fma(n, parts.back(), productLow));
}

/// Reduces x >= 0.
Rest reduce(Real x) {
  bool hasFMA = x.emitter->hasFMA;
  Real shifted = fma(x, 0x1.45f306dc9c883p-1, std::ldexp(1.5, x.fractionBits()));
  Real n = shifted - std::ldexp(1.5, x.fractionBits());
  auto parts = hasFMA ? x.pick(halfPiSingle, halfPiDouble) : x.pick(halfPiSinglePlain, halfPiDoublePlain);
  double limit = hasFMA ? x.pick(0x1p17, 0x1p28) : x.pick(0x1p13, 0x1p20);
  Pair rest = subtractQuadrants(x, n, parts);
  Quadrant reduced = reduceLarge(x, {shifted.bits(), rest.high}, limit);
  return {reduced.n, reduced.r, select(x < limit, rest.low, 0.0)};
}

struct SineCosine {
  Real sine, cosine;
};

SineCosine ofRest(Rest rest) {
  Real r = rest.r, t = r * r;
  Real sine = r + fma(r * t, polynomial(t, r.pick(sinSingle, sinDouble)), rest.low);
  Real half = t * 0.5, high = 1.0 - half;
  Real low = fma(t * t, polynomial(t, r.pick(cosSingle, cosDouble)), (1.0 - high) - half) - r * rest.low;
  return {sine, high + low};
}

/// Flips the sign of y if bit 1 of n is set, and again if the sign bit of `flips` is set.
Real withSigns(Real y, Bits n, Bits flips) {
  int toSign = (y.isSingle() ? 32 : 64) - 2;
  return (y.bits() ^ (((n << toSign) ^ flips) & (int64_t(2) << toSign))).real();
}

/// Returns sin(r + n pi/2), negated if the sign bit of `flips` is set.
Real sinOfQuadrant(Bits n, Rest rest, Bits flips) {
  SineCosine parts = ofRest(rest);
  return withSigns(select((n & 1) != 0, parts.cosine, parts.sine), n, flips);
}

} // namespace

Real sin(Real x) {
  Rest reduced = reduce(abs(x));
  return sinOfQuadrant(reduced.n, reduced, x.bits());
}

Real cos(Real x) {
  Rest reduced = reduce(abs(x));
  return sinOfQuadrant(reduced.n + 1, reduced, reduced.n.like(0));
}

Real tan(Real x) {
  Rest reduced = reduce(abs(x));
  SineCosine parts = ofRest(reduced);
  Mask odd = (reduced.n & 1) != 0;
  Real y = select(odd, parts.cosine, parts.sine) / select(odd, parts.sine, parts.cosine);
  return withSigns(y, reduced.n << 1, x.bits()); // negative in odd quadrants
}

} // namespace lathe::elementary
