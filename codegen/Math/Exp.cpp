// exp and related functions. Coefficients: scripts/fit-math.py.
//
//   x = n ln2 + r with an integer n; e^x = 2^n (1 + (e^r - 1)), where e^r - 1 is a polynomial of r
//
// The scaling by 2^n is one multiplication where 2^n is a normal number, else two or AVX-512's instruction. Functions that
// would cancel near 0 (expm1, tanh, sinh) use e^r - 1 itself, or an odd polynomial there.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// expm1(r) = r + r^2 p(r)
constexpr double expSingle[] = {0x1.000006p-1, 0x1.5554bep-3, 0x1.5544dep-5, 0x1.12093ap-7, 0x1.7e1ebep-10};
constexpr double expDouble[] = {0x1.ffffffffffffep-2,  0x1.55555555556dbp-3,  0x1.55555555560abp-5,  0x1.111111108ff0dp-7,
                                0x1.6c16c16a422d2p-10, 0x1.a01a054508edcp-13, 0x1.a019f6543d71cp-16, 0x1.71d32d9d13cb9p-19,
                                0x1.283e64cb693ddp-22, 0x1.c6c709b2b8172p-26};
// tanh(x) = x + x t p(t), t = x^2
constexpr double tanhSingle[] = {-0x1.55553ep-2, 0x1.1109bep-3, -0x1.b89abcp-5, 0x1.54c3e2p-6, -0x1.828868p-8};
constexpr double tanhDouble[] = {-0x1.5555555555530p-2,  0x1.111111110e1d4p-3,  -0x1.ba1ba1b782070p-5,  0x1.664f47f04e839p-6,
                                 -0x1.226e22981c923p-7,  0x1.d6d0c6c77c874p-9,  -0x1.7d79dfdb6213ap-10, 0x1.33db40041c5b4p-11,
                                 -0x1.e32e9702d06d9p-13, 0x1.4cad83f7fe2b7p-14, -0x1.203b90e8220dbp-16};
// sinh(x) = x + x t p(t), t = x^2
constexpr double sinhSingle[] = {0x1.555556p-3, 0x1.1110e0p-7, 0x1.a022bcp-13, 0x1.756c0ep-19};
constexpr double sinhDouble[] = {0x1.5555555555556p-3,  0x1.111111111101ep-7,  0x1.a01a01a037256p-13, 0x1.71de3a3b09067p-19,
                                 0x1.ae646ff1ffd70p-26, 0x1.6116f65259fd7p-33, 0x1.b5c7eac1ad97fp-41};

} // namespace

namespace {

constexpr double kOctavesPerE = 0x1.71547652b82fep0;

/// Returns the exponent before it is rounded. The offset moves e^r from [0.71, 1.41] to [0.75, 1.5]: the two roundings before
/// the last then weigh half as much where e^r < 1.
Real exponentOf(Real x, double perOctave) { return fma(x, perOctave, -0.085); }

/// Rounds the exponent for the scales of expInRange and scaleInTwoSteps. `added` is even, so that ties are rounded alike with
/// all of them.
Pair roundExponent(Real x, double perOctave, int64_t added) {
  // Adding 1.5 * 2^fractionBits leaves the rounded integer in the low bits, and `added` more.
  double magic = std::ldexp(1.5, x.fractionBits()) + double(added);
  Real shifted = exponentOf(x, perOctave) + magic;
  return {shifted - magic, shifted};
}

/// Subtracts n times the high part of ln2, which has enough trailing zeros for the product to be exact.
Real subtractCoarsely(Real x, Real n) { return fma(n, -x.pick(0x1.62e4p-1, 0x1.62e42feep-1), x); }
double lowOfLn2(Real x) { return x.pick(0x1.7f7d1cp-20, 0x1.a39ef35793c76p-33); }

Real subtractLn2(Real x, Real n) { return fma(n, -lowOfLn2(x), subtractCoarsely(x, n)); }

} // namespace

ExpReduction reduceExp(Real x, int64_t added) {
  auto [n, shifted] = roundExponent(x, kOctavesPerE, added);
  return {subtractLn2(x, n), shifted.bits()};
}

ExpReduction reduceExp(Real x) { return reduceExp(x, 2 * x.exponentBias()); }

ExpReduction reduceExp(Real x, Real low) {
  auto [n, shifted] = roundExponent(x, kOctavesPerE, 2 * x.exponentBias());
  return {subtractCoarsely(x, n) + fma(n, -lowOfLn2(x), low), shifted.bits()};
}

Real expm1Kernel(Real r) {
  Real terms = polynomial(r, r.pick(expSingle, expDouble)); // before the square, which would take a register meanwhile
  return fma(r * r, terms, r);
}

Real scaleInTwoSteps(Real m, Bits biased) {
  int shift = m.fractionBits();
  Bits half = biased >> 1;
  return m * (half << shift).real() * ((biased - half) << shift).real();
}

/// Returns e^x of a limited x by AVX-512's scaling instruction. It needs no bits of n, so that the rounding instruction takes
/// the place of two sums, with the same bits.
static Real expAtOnce(Real x) {
  Real n = roundEven(exponentOf(x, kOctavesPerE));
  return scaleAtOnce(expm1Kernel(subtractLn2(x, n)) + 1.0, n);
}

Real expInRange(Real x) {
  if (scalesAtOnce(x))
    return expAtOnce(x);
  ExpReduction reduced = reduceExp(x);
  Bits exponent = (reduced.biased - x.exponentBias()) << x.fractionBits();
  return (expm1Kernel(reduced.r) + 1.0) * exponent.real();
}

Real exp(Real x) {
  // The lower limit makes n = -2 * bias: far below the range, the result is 0 without a slow denormal intermediate.
  Real limited = clamp(x, x.pick(-176.06, -1418.17), x.pick(89.0, 710.0));
  if (scalesAtOnce(limited))
    return expAtOnce(limited);
  ExpReduction reduced = reduceExp(limited);
  return scaleInTwoSteps(expm1Kernel(reduced.r) + 1.0, reduced.biased);
}

Real expOfNonpositive(Real x) {
  Real limited = raise(x, x.pick(-130.0, -1062.0)); // far below the range, where the result is 0 with any scale
  if (scalesAtOnce(limited))
    return expAtOnce(limited);
  int up = x.isSingle() ? 63 : 511; // 2^(n + up) is a normal number for all n, since none is above 0
  ExpReduction reduced = reduceExp(limited, x.exponentBias() + up);
  Real m = expm1Kernel(reduced.r) + 1.0;
  return m * (reduced.biased << x.fractionBits()).real() * std::ldexp(1.0, -up); // only the last product may be rounded
}

Real exp2(Real x) {
  Real limited = clamp(x, x.pick(-254.0, -2046.0), x.pick(130.0, 1026.0));
  auto scaled = [&](Real n) { return expm1Kernel((limited - n) * 0x1.62e42fefa39efp-1) + 1.0; }; // the difference is exact
  if (scalesAtOnce(x)) {
    Real n = roundEven(exponentOf(limited, 1));
    return scaleAtOnce(scaled(n), n);
  }
  auto [n, shifted] = roundExponent(limited, 1, 2 * x.exponentBias());
  return scaleInTwoSteps(scaled(n), shifted.bits());
}

Real logistic(Real x) {
  // Compute 1 / (2^n + (2^n u + 1)) with e^-x = 2^n (1 + u), all scaled down so that 2^n stays finite for a denormal result.
  // Rounding 1 + u first would cost half an ULP.
  int down = x.isSingle() ? 64 : 512;
  ExpReduction reduced = reduceExp(clamp(-x, -40.0, x.pick(105.0, 750.0)));
  Real scale = ((reduced.biased - (x.exponentBias() + down)) << x.fractionBits()).real();
  Real one = x.like(std::ldexp(1.0, -down));
  return one / (scale + fma(scale, expm1Kernel(reduced.r), one));
}

Real expm1(Real x) {
  Real limited = clamp(x, x.pick(-20.0, -40.0), x.pick(89.0, 710.0));
  ExpReduction reduced = reduceExp(limited);
  // With half the scale, 2^128 and 2^1024 stay finite until the last step.
  Real half = ((reduced.biased - (x.exponentBias() + 1)) << x.fractionBits()).real();
  Real y = fma(half, expm1Kernel(reduced.r), half - 0.5) * 2.0;
  // Tiny operands are their own result; halving would lose a denormal's last bit and the sign of -0.
  return select(abs(x) < x.pick(0x1p-30, 0x1p-60), x, y);
}

Real tanhNearZero(Real x) {
  Real magnitude = abs(x), t = x * x;
  return fma(magnitude * t, polynomial(t, x.pick(tanhSingle, tanhDouble)), magnitude);
}

Real tanh(Real x) {
  // Compute 1 - 2 / (e^2|x| + 1), or an odd polynomial where that cancels.
  Real magnitude = abs(x);
  Real e = expInRange(clamp(magnitude * 2.0, 0.0, x.pick(20.0, 50.0)));
  Real large = 1.0 - 2.0 / (e + 1.0);
  return copysign(select(magnitude < kTanhCancels, tanhNearZero(x), large), x);
}

namespace {

/// Returns e^x / 2 for x >= 0, which stays finite for larger x than e^x.
Real halfExp(Real x) {
  ExpReduction reduced = reduceExp(clamp(x, 0.0, x.pick(91.0, 713.0)));
  return scaleInTwoSteps(expm1Kernel(reduced.r) + 1.0, reduced.biased - 1);
}

} // namespace

Real sinh(Real x) {
  Real magnitude = abs(x), e = halfExp(magnitude);
  Real t = x * x;
  Real small = fma(magnitude * t, polynomial(t, x.pick(sinhSingle, sinhDouble)), magnitude);
  return copysign(select(magnitude < 1.0, small, e - 0.25 / e), x);
}

Real cosh(Real x) {
  Real e = halfExp(abs(x));
  return e + 0.25 / e;
}

} // namespace lathe::elementary
