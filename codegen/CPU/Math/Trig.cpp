// sin and cos. Coefficients: scripts/fit-math.py.
#include "codegen/CPU/Math/Functions.h"

namespace lathe::cpu::elementary {

namespace {

// sin(r) = r + r t p(t), cos(r) = 1 - t/2 + t^2 p(t), t = r^2
constexpr double sinSingle[] = {-0x1.555556p-3, 0x1.11117p-7, -0x1.a053fap-13, 0x1.7a8c6ep-19};
constexpr double cosSingle[] = {0x1.555548p-5, -0x1.6c0af4p-10, 0x1.999128p-16};
constexpr double sinDouble[] = {-0x1.5555555555555p-3,  0x1.111111111106ep-7, -0x1.a01a019fffed9p-13, 0x1.71de3a367f0ecp-19,
                                -0x1.ae6430dcb831ep-26, 0x1.610d149308a6p-33, -0x1.a1d5827dffe1p-41};
constexpr double cosDouble[] = {0x1.5555555555548p-5,   -0x1.6c16c16c149a5p-10, 0x1.a01a019bef041p-16,
                                -0x1.27e4f77e2c5acp-22, 0x1.1ee98d7c704f2p-29,  -0x1.8f7e01fbea7dep-37};

// pi/2 in pieces. Without FMA all but the last are so short that their products with n are exact up to the limit.
constexpr double halfPiSingle[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
constexpr double halfPiDouble[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr double halfPiSinglePlain[] = {0x1.92p+0, 0x1.fb4p-12, 0x1.444p-24, 0x1.68c234p-39};
constexpr double halfPiDoublePlain[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};

/// x - n pi/2.
Real subtractQuadrants(Real x, Real n, llvm::ArrayRef<double> pieces) {
  Real r = x, before = x;
  for (double piece : pieces.drop_back()) {
    before = r;
    r = fma(n, -piece, r);
  }
  if (x.emitter->hasFMA)
    return fma(n, -pieces.back(), r);
  // The pieces are shorter here, so that the last step but one is rounded: what it lost goes into the last.
  Real lost = (before - r) - n * pieces.drop_back().back();
  return r + (lost - n * pieces.back());
}

/// Quadrant and rest of x >= 0.
Quadrant reduce(Real x) {
  bool hasFMA = x.emitter->hasFMA;
  Real shifted = fma(x, 0x1.45f306dc9c883p-1, std::ldexp(1.5, x.fractionBits()));
  Real n = shifted - std::ldexp(1.5, x.fractionBits());
  auto pieces = hasFMA ? x.pick(halfPiSingle, halfPiDouble) : x.pick(halfPiSinglePlain, halfPiDoublePlain);
  double limit = hasFMA ? x.pick(0x1p17, 0x1p28) : x.pick(0x1p13, 0x1p20);
  return reduceLarge(x, {shifted.bits(), subtractQuadrants(x, n, pieces)}, limit);
}

/// sin(r + n pi/2), negated where the sign bit of `flips` is set.
Real sinOfQuadrant(Bits n, Real r, Bits flips) {
  Real t = r * r;
  Real sine = fma(r * t, polynomial(t, r.pick(sinSingle, sinDouble)), r);
  Real cosine = fma(t * t, polynomial(t, r.pick(cosSingle, cosDouble)), fma(t, -0.5, 1.0));
  Real y = select((n & 1) != 0, cosine, sine);
  int toSign = (r.isSingle() ? 32 : 64) - 2;
  Bits sign = ((n << toSign) ^ flips) & (int64_t(2) << toSign);
  return (y.bits() ^ sign).real();
}

} // namespace

Real sin(Real x) {
  Quadrant reduced = reduce(abs(x));
  return sinOfQuadrant(reduced.n, reduced.r, x.bits());
}

Real cos(Real x) {
  Quadrant reduced = reduce(abs(x));
  return sinOfQuadrant(reduced.n + 1, reduced.r, reduced.n.like(0));
}

} // namespace lathe::cpu::elementary
