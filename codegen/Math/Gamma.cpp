// lgamma and digamma; f32 is computed in f64. Coefficients: scripts/fit-math.py.
//
//   up to 3:      polynomials with the function's zeros as factors
//   3 to 6:       steps down to [2, 3) by the recurrence, whose terms form one product or quotient
//   6 and above:  the asymptotic series
//   x < 0:        the reflection formula, in a branch that is taken if any lane is negative
//
// All lanes compute the first three, and selects choose. The reflection uses pairs, because its terms may cancel.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// log(gamma(1 + t)) = t (t - 1) p(t - 0.1) below 0.5, t (t - 1) p(t - 1.25) up to 2
constexpr double lgammaLow[] = {0x1.1bb801c40f517p-1,  -0x1.bcffe8e38ca77p-3, 0x1.018440cead85cp-3, -0x1.5b748bd864cc9p-4,
                                0x1.faa9818cf42cfp-5,  -0x1.8289ea6da3321p-5, 0x1.2fa403dc6bd0ep-5, -0x1.e6d5723fd7542p-6,
                                0x1.8c29ea78a01e2p-6,  -0x1.46201d4df5c91p-6, 0x1.0ef52cb3ff072p-6, -0x1.c5a7f3f8ffbbap-7,
                                0x1.7e31e7b4bd36ep-7,  -0x1.43ee36cb3ab5cp-7, 0x1.13bf53a32ee8cp-7, -0x1.d34f06bc73912p-8,
                                0x1.8fc0b4f48f40cp-8,  -0x1.737b08acb919fp-8, 0x1.454721d1a1243p-8, -0x1.426abe551ce17p-9,
                                0x1.fd77dfcb74fb7p-10, -0x1.99a7547c86c8ep-8, 0x1.72b8be08043afp-8};
constexpr double lgammaHigh[] = {0x1.992dfc9539d9bp-2,  -0x1.5fc498795de96p-4,  0x1.9dff298b209a9p-6,  -0x1.155963451c74fp-7,
                                 0x1.8e9b025b97afep-9,  -0x1.2b1a505b739d8p-10, 0x1.ce0fe4140923ep-12, -0x1.6c4b7acb41cb6p-13,
                                 0x1.23998689e0e36p-14, -0x1.d84449d8e1bf2p-16, 0x1.81f183d7829d1p-17, -0x1.3dba9cd0786dcp-18,
                                 0x1.072a603dbe4f7p-19, -0x1.b644bd19d87bap-21, 0x1.6e7b128731875p-22, -0x1.326dd5ec3cee4p-23,
                                 0x1.01c374b224cb1p-24, -0x1.c594b18b26dd7p-26, 0x1.82cbd34e0eacdp-27, -0x1.db188735ea2d0p-29,
                                 0x1.83872eeddc675p-30, -0x1.a6620e9de248ep-30, 0x1.732a788251b03p-31};
// log(gamma(x)) = (x - 1/2) log x - x + log(2 pi) / 2 + p(1 / x^2) / x from 6 on
constexpr double lgammaRest[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16a31p-9, 0x1.a01a019e47e8ep-11,
                                 -0x1.38137e84bfcc3p-11, 0x1.b94fddf6411d3p-11, -0x1.f63d6415190fap-10,
                                 0x1.9d206ec1641edp-8,   -0x1.9f194608d54f1p-6, 0x1.46b80f48b3e8ep-4};
// digamma(1 + t) = (t - its zero) p(t - 0.375) below 0.75, (t - its zero) p(t - 1.375) up to 2
constexpr double digammaLow[] = {0x1.0211b8470c9d0p+0, -0x1.f757b21d47f15p-2, 0x1.39d54637b1e86p-2, -0x1.a8d240c3cbe4ep-3,
                                 0x1.29dfe128071e2p-3, -0x1.a8ec3c707ec6ap-4, 0x1.31c262af2709ap-4, -0x1.ba1b55460e23ap-5,
                                 0x1.4074dbcb20ee1p-5, -0x1.d13b2d8bed166p-6, 0x1.51fc6c4c0e40ep-6, -0x1.eb4f8a3484851p-7,
                                 0x1.650b31a3b0355p-7, -0x1.0397ed4a0dfcbp-7, 0x1.7c6fda163fa70p-8, -0x1.14eed856c8407p-8,
                                 0x1.6fdc836e778f8p-9, -0x1.099b79bcaf9b9p-9, 0x1.35feee8ebc450p-9, -0x1.c8a57b36d3fd4p-10};
constexpr double digammaHigh[] = {0x1.66ba0a727a560p-1,  -0x1.9121eac66c021p-3,  0x1.1805ddbd36094p-4,  -0x1.a8c29a260c736p-6,
                                  0x1.4fa997627b982p-7,  -0x1.0f7409c695c86p-8,  0x1.bd388f861e624p-10, -0x1.705724bd7758fp-11,
                                  0x1.327beb3645ccbp-12, -0x1.fff8618326ccep-14, 0x1.acb61633ccad2p-15, -0x1.679d523fb29bbp-16,
                                  0x1.2decaa7ea63a7p-17, -0x1.fb839d472a884p-19, 0x1.ad5fcc6a30fe3p-20, -0x1.69879df7679e0p-21,
                                  0x1.1a00118113d91p-22, -0x1.d7d2a783cee6fp-24, 0x1.31c44e611cbf6p-24, -0x1.048f4f02b82a1p-25};
// digamma(x) = log x - 1 / (2 x) - p(1 / x^2) / x^2 from 6 on
constexpr double digammaRest[] = {0x1.5555555555555p-4, -0x1.1111111111089p-7, 0x1.04104103bf139p-8, -0x1.1111107a814c3p-8,
                                  0x1.f07b9073bde5ap-8, -0x1.5982077833c02p-6, 0x1.53abd64e84a86p-4, -0x1.aed936a2270d3p-2,
                                  0x1.202c1365ce015p+1, -0x1.025ccb536efa3p+3};
// sin(pi r) = r (pi + t p(t)), t = r^2, up to 1/2; pi cot(pi r) = 1 / r + r p(t) and pi tan(pi r) = r (pi^2 + t p(t)) up to 1/4
constexpr double sinPi[] = {-0x1.4abbce625be52p+2, 0x1.466bc6775aa36p+1,  -0x1.32d2cce62530bp-1,  0x1.50783483ec8ddp-4,
                            -0x1.e3074d308e886p-8, 0x1.e8f328c75d512p-12, -0x1.6f70d234afd3dp-16, 0x1.9bfd164c6d0cep-21};
constexpr double cotPi[] = {-0x1.a51a6625307d3p+1, -0x1.151322ac7d918p+1, -0x1.0470984bf8175p+1, -0x1.010b36b96a42ap+1,
                            -0x1.00412b0f89c5dp+1, -0x1.0010ba8043509p+1, -0x1.ffe30b7b0f4f3p+0, -0x1.0167fc20ca41fp+1,
                            -0x1.dee0c3dc33ac2p+0, -0x1.6a77b5a3cf70dp+1};
constexpr double tanPi[] = {0x1.03c1f081b5ac3p+5,   0x1.005ed5ead9127p+7,  0x1.000a2b78cbad6p+9,   0x1.00011deb8273ap+11,
                            0x1.00001effe5861p+13,  0x1.000017b3ff56ep+15, 0x1.fffc8d3577f35p+16,  0x1.001b10dfa6db4p+19,
                            0x1.fd928c14b993cp+20,  0x1.0a4fbe9385a6ep+23, 0x1.7e230c0b183d0p+24,  0x1.1645f7c5fb4d2p+28,
                            -0x1.745ca47b1eed7p+30, 0x1.3f04d4e8809e9p+34, -0x1.802c12ab1a01fp+36, 0x1.5407204f31ad3p+38};
constexpr double piSquared = 0x1.3bd3cc9be45dep+3, piSquaredRest = 0x1.692b71366cc04p-51;

constexpr double largeFrom = 6;

/// The exact distance of m >= 0 from the nearest integer; `above` is set if that integer is larger than m.
struct Distance {
  Real r;
  Mask above;
};
Distance toInteger(Real m) {
  Real fraction = m - trunc(m);
  Mask above = fraction > 0.5;
  return {select(above, 1.0 - fraction, fraction), above};
}

/// Reduces m in [3, 6) to [2, 3) step by step: body(the next m, the lanes that take the step).
template <typename Body>
Real steppedDown(Real m, Body body) {
  for (int i = 0; i < 3; ++i) {
    Mask steps = m >= 3.0;
    m = select(steps, m - 1.0, m); // exact below 6
    body(m, steps);
  }
  return m;
}

/// log(gamma(m)) for m >= 0 is rest - log(factor) below 0.7, rest + log(factor) below 6, and Stirling's formula from there.
struct LogGamma {
  Real value, rest, factor;
};
LogGamma lgammaOfMagnitude(Real m) {
  Mask small = m < 0.7, large = m >= largeFrom;
  Real factor = m.like(1.0);
  Real reduced = steppedDown(m, [&](Real next, Mask steps) { factor = select(steps, factor * next, factor); });
  Real t = select(small, m, reduced - 1.0);
  Mask high = t >= 0.5;
  Real rest = t * (t - 1.0) * polynomial(t - select(high, 1.25, t.like(0.1)), high, lgammaHigh, lgammaLow);
  Real logarithm = log(select(large, m, select(small, m, factor)));
  // (m - 1/2) (log m - 1) + (log(2 pi) - 1) / 2: all terms are positive.
  Real inverse = 1.0 / m;
  Real tail = fma(polynomial(inverse * inverse, lgammaRest), inverse, 0x1.acfe390c97d69p-2);
  Real stirling = fma(m - 0.5, logarithm - 1.0, tail);
  return {select(large, stirling, rest + select(small, -logarithm, logarithm)), select(large, stirling, rest), factor};
}

/// Returns log(pi / (m |sin(pi m)|)) - log(gamma(m)). The first logarithm is a pair: if the two cancel, the error is only the
/// rounding of the second one.
Real reflectedLgamma(Real m, LogGamma positive) {
  Real r = toInteger(m).r;
  Pair square = product(r, r);
  Real slope = polynomial(square.high, sinPi);
  Pair bend = product(square.high, slope), sine = exactSumOrdered(r.like(0x1.921fb54442d18p+1), bend.high);
  sine.low = sine.low + (fma(square.low, slope, bend.low) + 0x1.1a62633145c07p-53);
  Pair divisor = product(sine, Pair{r, r.like(0.0)});
  divisor = product(divisor, Pair{select(m < 0.7, 1.0, m), r.like(0.0)});
  divisor = product(divisor, Pair{select(m < largeFrom, positive.factor, 1.0), r.like(0.0)});
  Pair logarithm = logPair(divisor.high);
  Real low = logarithm.low + divisor.low / divisor.high;
  Pair first = exactSum(r.like(0x1.250d048e7a1bdp+0), -logarithm.high); // log(pi)
  Pair both = exactSum(first.high, -positive.rest);
  Real y = both.high + (both.low + ((first.low - low) + 0x1.7abf2ad8d5088p-57));
  y = select(m < 0x1p-60, positive.value, y); // log(1 / m) also where m pi is denormal
  return select((r == 0.0) | (m == m.infinity()), m.infinity(), y);
}

Real lgammaOfDouble(Real x) {
  Real m = abs(x);
  LogGamma positive = lgammaOfMagnitude(m);
  return ifAny(x < 0.0, positive.value, [&] { return reflectedLgamma(m, positive); });
}

/// Returns pi tan(pi r) for r up to 1/4, with the rounding errors of the last sum and product.
Pair tangent(Real r, Real t) {
  Pair factor = exactSumOrdered(t.like(piSquared), t * polynomial(t, tanPi)), value = product(r, factor.high);
  return {value.high, fma(r, factor.low + piSquaredRest, value.low)};
}

/// Returns pi cot(pi m), computed from the distance of m to an integer, as a pair. The low number is much smaller than the high
/// one unless that is 0.
Pair cotangent(Real m) {
  Distance distance = toInteger(m);
  Real r = distance.r, rest = 0.5 - r;
  Mask high = r > 0.25;
  Real inner = select(high, rest, r), t = inner * inner;
  Real inverse = 1.0 / r; // its rounding error goes into `low`
  Pair back = product(inverse, r);
  Real low = fma(r, polynomial(t, cotPi), ((1.0 - back.high) - back.low) * inverse);
  Pair mirrored = tangent(rest, t);
  Real main = select(high, mirrored.high, inverse);
  main = select(r == 0.0, std::numeric_limits<double>::quiet_NaN(), main);
  low = select(high, mirrored.low, low);
  return {select(distance.above, -main, main), select(distance.above, -low, low)};
}

/// Returns a + b + pi cot(pi m), rounded about once: the cotangent may cancel the other terms.
Real besideCotangent(Real a, Real b, Real m) {
  Pair c = cotangent(m), first = exactSum(c.high, a), second = exactSum(first.high, b);
  Real y = second.high + (second.low + (first.low + c.low));
  return select(abs(c.high) < m.infinity(), y, c.high);
}

Real digammaOfDouble(Real x) {
  Real m = abs(x);
  Mask small = m < 1.0, large = m >= largeFrom;
  // Compute the sum of 1 / next over the steps as one quotient.
  Real numerator = m.like(0.0), denominator = m.like(1.0);
  Real reduced = steppedDown(m, [&](Real next, Mask steps) {
    numerator = select(steps, fma(numerator, next, denominator), numerator);
    denominator = select(steps, denominator * next, denominator);
  });
  Real t = select(small, m, reduced - 1.0);
  Mask high = t >= 0.75;
  Real fromZero = (t - 0x1.d8b618d5af8fep-2) + 0x1.1e563779a1f5bp-56;
  Real ofOne = fromZero * polynomial(t - select(high, 1.375, t.like(0.375)), high, digammaHigh, digammaLow); // digamma(1 + t)
  Real quotient = select(small, -1.0, select(large, 1.0, numerator)) / select(small | large, m, denominator);
  Real w = quotient * quotient;
  Real asymptotic = log(m) - fma(w, polynomial(w, digammaRest), quotient * 0.5);
  Real positive = select(large, asymptotic, ofOne + quotient);
  Real y = ifAny(x < 0.0, positive, [&] { // digamma(1 + m) + pi cot(pi m)
    Real added = 1.0 / m + select(large, m.like(0.0), quotient);
    return besideCotangent(select(large, asymptotic, ofOne), select(small, 0.0, added), m);
  });
  return select(x == 0.0, copysign(x.like(x.infinity()), -x), y);
}

} // namespace

Real lgamma(Real x) { return x.isSingle() ? narrow(lgammaOfDouble(widen(x))) : lgammaOfDouble(x); }
Real digamma(Real x) { return x.isSingle() ? narrow(digammaOfDouble(widen(x))) : digammaOfDouble(x); }

} // namespace lathe::elementary
