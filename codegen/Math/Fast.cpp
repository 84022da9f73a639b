// Shorter functions of f32 for --math=fast, within a few ULP (docs/fast-math.md). Coefficients: scripts/fit-math.py.
//
//   erf, tanh: x p(x^2) / q(x^2), clamped where the function rounds to 1
//   exp: 2^n (1 + f p(f)) with x log2(e) = n + f; results below 2^-125.5 are 0
#include "codegen/Math/Functions.h"

namespace lathe::elementary {

namespace {

constexpr double erfAbove[] = {0x1.20dd74p+0,  0x1.9972b6p-3,   0x1.9e4c54p-5, 0x1.e52f50p-9,
                               0x1.297c2cp-13, -0x1.06c6f4p-19, 0x1.564bbap-26};
constexpr double erfBelow[] = {1.0, 0x1.0561bcp-1, 0x1.d70924p-4, 0x1.d6545ap-7, 0x1.f53f4ap-11};
constexpr double tanhAbove[] = {1.0, 0x1.120422p-3, 0x1.c9f766p-9, 0x1.595368p-16, 0x1.c99e56p-27};
constexpr double tanhBelow[] = {1.0, 0x1.de575ap-2, 0x1.a7deb2p-6, 0x1.58409ep-12, 0x1.a0b4d8p-21};
constexpr double twiceExp2[] = {2.0, 0x1.62e42ap+0, 0x1.ebf99cp-2, 0x1.c6b576p-4, 0x1.3cf58cp-6, 0x1.5cbe48p-9};

/// Returns x p(t) / q(t), t = x^2, of an odd function that rounds to 1 from `end` on.
Real oddQuotient(Real x, double end, llvm::ArrayRef<double> above, llvm::ArrayRef<double> below) {
  Real limited = clamp(x, -end, end), t = limited * limited;
  return clamp(limited * polynomial(t, above) / polynomial(t, below), -1.0, 1.0);
}

constexpr double kLeast = -87.4, kLargest = 89; // where e^x is 0 and infinite

/// Returns 2^(x log2(e)) for kLeast <= x <= kLargest. Requires FMA, without which f would lose its low bits. The scale is
/// 2^(n - 1), which is finite for all n, and 0 for n = -126.
Real fastExpOf(Real x) {
  constexpr double kLog2OfE = 0x1.71547652b82fep0, kHigh = 0x1.715476p0, kRounding = 0x1.8p23, kBias = 126;
  // Floats as large as the rounding constant are integers: the low bits are n + 126, an exponent field.
  Real shifted = fma(x, kHigh, x.like(kRounding + kBias));
  Real n = shifted - (kRounding + kBias);
  Real f = fma(x, kLog2OfE - kHigh, fma(x, kHigh, -n));
  return polynomial(f, twiceExp2) * (shifted.bits() << 23).real();
}

} // namespace

Real fastErf(Real x) { return oddQuotient(x, 3.92, erfAbove, erfBelow); }
Real fastTanh(Real x) { return oddQuotient(x, 9.02, tanhAbove, tanhBelow); }
Real fastExp(Real x) { return x.emitter->hasFMA ? fastExpOf(clamp(x, kLeast, kLargest)) : exp(x); }
Real fastExpOfNonpositive(Real x) { return x.emitter->hasFMA ? fastExpOf(raise(x, kLeast)) : expOfNonpositive(x); }
Real fastLogistic(Real x) { return x.emitter->hasFMA ? 1.0 / (fastExpOf(clamp(-x, kLeast, kLargest)) + 1.0) : logistic(x); }

} // namespace lathe::elementary
