// The error function and its complement. Coefficients: scripts/fit-math.py.
//
//   erf:  x + x p(x^2) near 0, and 1 - exp(p(x - 1)) elsewhere; both are computed, and a select takes one
//   erfc: exp(-x^2) p(u) / (x + 2) with u = (x - 2) / (x + 2) for |x|, and 2 minus that for a negative x
//
// erfc keeps its relative error where it is tiny: the rounding errors of x^2 and of the quotient go into the exponential.
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

// erf(x) = x + x p(t), t = x^2, below 0.9 (f32) and 1 (f64)
constexpr double smallSingle[] = {0x1.06eba6p-3, -0x1.8126f2p-2, 0x1.ce1cf8p-4, -0x1.b6b4ep-6, 0x1.484424p-8, -0x1.3e95fp-11};
constexpr double smallDouble[] = {0x1.06eba8214db69p-3,  -0x1.812746b037a25p-2,  0x1.ce2f21a0458d7p-4,  -0x1.b82ce31354c61p-6,
                                  0x1.565bcd2c5a62bp-8,  -0x1.c02db92f4a1e3p-11, 0x1.f9a3b88f8509bp-14, -0x1.f4dcdb8cb57b3p-17,
                                  0x1.ba679ccbd893fp-20, -0x1.638115583edb6p-23, 0x1.12badef982d87p-26, -0x1.c1daeca380fa1p-30,
                                  0x1.3732cf935f806p-33};
// erfc(x) = exp(p(x - 1)) above, until erf rounds to 1
constexpr double largeSingle[] = {-0x1.d97fcp+0, -0x1.51c9b2p+1,  -0x1.afabcep-1, -0x1.544ebap-5,
                                  0x1.464358p-7, -0x1.eadd6ap-10, 0x1.9d827cp-13};
constexpr double largeDouble[] = {
    -0x1.d97fbf27aa2a1p+0,  -0x1.51c9b0006c22ap+1, -0x1.afabc11a2a718p-1, -0x1.5477f09a408e0p-5,  0x1.48c9d39265fcap-7,
    -0x1.033f5ba13df21p-9,  0x1.f1b0a2828c892p-13, 0x1.b9272032d79c1p-16, -0x1.c846ed5c6673dp-16, 0x1.446694e742441p-17,
    -0x1.1db51a35919a1p-19, 0x1.b30422bf47c55p-23, 0x1.fc0cd518289fep-25, -0x1.22626c9614ba9p-25, 0x1.2858bd84e422fp-27,
    -0x1.6f8cb3f88ab93p-30, 0x1.0a69a1e6d41fap-33, -0x1.5c2ec84e26edep-38};
// erfc(x) = exp(-x^2) p(u) / (x + 2), u = (x - 2) / (x + 2)
constexpr double erfcSingle[] = {0x1.058672p+0, -0x1.5fd386p-1,  0x1.1e2ddap-2,   -0x1.2a8940p-5, -0x1.605b1cp-6, 0x1.a8ac8cp-8,
                                 0x1.91b43cp-9, -0x1.b9b552p-11, -0x1.39bcf2p-11, 0x1.d3fd8ep-15, 0x1.3c7c38p-14};
constexpr double erfcSingleRest = -0x1.d5f772p-27; // low part of the first coefficient
constexpr double erfcDouble[] = {0x1.058671b52c776p+0,   -0x1.5fd386754eff9p-1,  0x1.1e2deea6b114ep-2,   -0x1.2a88e6107cfaap-5,
                                 -0x1.606e415520664p-6,  0x1.a89eaff7f52bap-8,   0x1.9517bb6939efdp-9,   -0x1.b6fbf952f0b93p-11,
                                 -0x1.5ba436d31fee1p-11, 0x1.2053e27d0bd1cp-15,  0x1.2ef9fbd82bb04p-13,  0x1.1e7793ac0f43ap-15,
                                 -0x1.6bfa1bd41dfc4p-16, -0x1.0e8246fa97001p-16, -0x1.2f96755e5d6c5p-20, 0x1.ea0743f66fb48p-19,
                                 0x1.0e8fd93b2275dp-19,  -0x1.674436610dcccp-27, -0x1.4049e50f61824p-21, -0x1.4e1d1cf877a2cp-22,
                                 0x1.e1fe609f70602p-26,  0x1.bb74201fd577fp-24,  0x1.1b41c86806ef8p-25,  -0x1.5a183a87b718ep-27,
                                 -0x1.0bed46b50445ap-27, -0x1.3ed1901a8455cp-30};

} // namespace

static Real erfWith(Real x, Real (*expOf)(Real)) {
  Real magnitude = abs(x);
  Real t = x * x;
  Real small = fma(magnitude, polynomial(t, x.pick(smallSingle, smallDouble)), magnitude);
  Real shifted = clamp(magnitude, 0.0, x.pick(4.0, 6.0)) - 1.0;
  Real large = 1.0 - expOf(polynomial(shifted, x.pick(largeSingle, largeDouble)));
  return copysign(select(magnitude < x.pick(0.9, 1.0), small, large), x);
}

Real erf(Real x) { return erfWith(x, expInRange); }
Real approximateErf(Real x) { return erfWith(x, approximateExp); }

/// Returns p(u) of erfc.
static Real erfcSeries(Real u) {
  auto terms = u.pick(erfcSingle, erfcDouble);
  return fma(u, polynomial(u, terms.drop_front()), u.pick(erfcSingleRest, 0.0)) + terms.front();
}

static Real erfcWith(Real x, Real (*reciprocalOf)(Real), Real (*expOf)(Real)) {
  Real magnitude = clamp(abs(x), 0.0, 10.6);
  Real square = magnitude * magnitude, inverse = reciprocalOf(magnitude + 2.0);
  Real y = erfcSeries((magnitude - 2.0) * inverse) * inverse * expOf(-square);
  y = fma(-productError(magnitude, magnitude, square), y, y); // corrects the rounding of the square
  return select(x < 0.0, 2.0 - y, y);
}

Real approximateErfc(Real x) { return erfcWith(x, approximateReciprocal, approximateExp); }

Real fastErfc(Real x) {
  return x.emitter->hasFMA ? erfcWith(x, [](Real y) { return 1.0 / y; }, fastExpOfNonpositive) : erfc(x);
}

Real erfc(Real x) {
  Real magnitude = clamp(abs(x), 0.0, x.pick(10.6, 28.0)); // 0 beyond
  Real square = magnitude * magnitude;
  // The rounding errors of the sums and of the square go into u and the exponential; 1 / (x + 2) is (1 - u) / 4.
  Pair above = exactSum(magnitude, x.like(-2.0)), below = exactSum(magnitude, x.like(2.0));
  Real u = above.high / below.high, inverse = fma(u, -0.25, 0.25), off = below.low * inverse;
  u = u + fma(above.low, inverse, -(u * off));
  ExpReduction reduced = reduceExp(-square, -(productError(magnitude, magnitude, square) + off));
  Real series = erfcSeries(u);
  Real y = fma(series, expm1Kernel(reduced.r), series) / below.high; // avoids rounding e^r
  y = scaleInTwoSteps(y, reduced.biased);                            // the factor is at most 3/4
  return select(x < 0.0, 2.0 - y, y);
}

} // namespace lathe::elementary
