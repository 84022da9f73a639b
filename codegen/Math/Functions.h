// The elementary functions and the parts that they share.
#ifndef LATHE_CODEGEN_MATH_FUNCTIONS_H
#define LATHE_CODEGEN_MATH_FUNCTIONS_H

#include "codegen/Math/Arithmetic.h"

namespace lathe::elementary {

/// x = n ln2 + r with e^r in [3/4, 3/2]. The low bits of `biased` are n + 2 * bias (the rest belongs to the rounding trick).
struct ExpReduction {
  Real r;
  Bits biased;
};
ExpReduction reduceExp(Real x);
/// The same with n + added, an even number, in the low bits of `biased`.
ExpReduction reduceExp(Real x, int64_t added);
/// Reduces x + low for |low| of about an ULP of x or less.
ExpReduction reduceExp(Real x, Real low);

/// Returns e^r - 1 for e^r in [3/4, 3/2].
Real expm1Kernel(Real r);

/// Returns m 2^n for m in [0.5, 2], scaled in two steps so that a denormal result is rounded instead of flushed and an overflow
/// gives infinity. The result is exactly 0 for n = -2 * bias.
Real scaleInTwoSteps(Real m, Bits biased);

/// Returns e^x for x such that neither the result nor 2^n under- or overflows.
Real expInRange(Real x);

Real exp(Real x);
/// Returns exp(x), the same bits with fewer instructions, for x that is at most 0 or NaN.
Real expOfNonpositive(Real x);
Real exp2(Real x);
Real expm1(Real x);
Real logistic(Real x);
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
/// Returns |tanh(x)| for |x| < kTanhCancels, where e^2x - 1 would cancel.
Real tanhNearZero(Real x);
inline constexpr double kTanhCancels = 0.6;
Real rsqrt(Real x);

/// A positive normal number m 2^n with m in [sqrt(1/2), sqrt(2)). `scale` is n + bias, shifted to the exponent's position. The
/// fraction bits of `counted` are the distance of m from sqrt(1/2).
struct LogReduction {
  Real n, m;
  Bits scale, counted;
};
LogReduction reduceLog(Bits bits);

/// Returns n ln2 + log(1 + f) for integral n and 1 + f in [sqrt(1/2), sqrt(2)].
Real logKernel(Real n, Real f);

Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);
/// Returns log(x) of an f64 with 0 < x < inf, with a relative error of about 2^-65.
Pair logPair(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);

/// x = n pi/2 + r with |r| slightly above pi/4 at most; only the two low bits of n are significant.
struct Quadrant {
  Bits n;
  Real r;
};

/// Reduces x >= 0. Lanes with x < limit (limit >= 2^13) keep `fast`; if all do, the cost is one branch.
Quadrant reduceLarge(Real x, Quadrant fast, double limit);

Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);

Real erf(Real x);
Real erfc(Real x);
Real erfInv(Real x);

Real lgamma(Real x);
Real digamma(Real x);
/// Returns the derivative of digamma of the given order, at least 1.
Real polygamma(Real x, unsigned order);

Real cbrt(Real x);
Real hypot(Real x, Real y);

Real pow(Real x, Real y);
/// Return x^y for x >= 0, except for the operands that pow handles itself. The first takes f64; the second takes f32 and
/// computes in f64.
Real powMagnitudeDouble(Real x, Real y);
Real powWideSingle(Real x, Real y);
/// x^y of f32 for normal x > 0 and |y log2(x)| < 126, and y log2(x), which is valid beyond that range. It is NaN only if y is
/// NaN or the product overflows f32. Requires FMA.
struct NormalPower {
  Real value, logarithm;
};
NormalPower powNormalSingle(Real x, Real y);

Real rem(Real x, Real y);

/// f32 functions from a GPU's approximations, see Approximate.cpp. Errors in ULP: 1 of the reciprocal, 4 of exp, 6 of logistic,
/// 3 of tanh, 2 of erf, 10 of erfc.
Real approximateReciprocal(Real x);
Real approximateExp(Real x);
Real approximateErf(Real x);
Real approximateErfc(Real x);
Real approximateLogistic(Real x);
Real approximateTanh(Real x);

/// f32 functions for --math=fast, see Fast.cpp.
Real fastErf(Real x);
Real fastErfc(Real x);
Real fastExp(Real x);
/// Returns fastExp(x) for x that is at most 0 or NaN.
Real fastExpOfNonpositive(Real x);
Real fastLogistic(Real x);
Real fastTanh(Real x);

/// Returns x y + z, rounded once with or without FMA.
Real fusedMultiplyAdd(Real x, Real y, Real z);

/// Returns x^y of integers, see lathe.pow.
Bits integerPower(Bits x, Bits y);

} // namespace lathe::elementary

#endif // LATHE_CODEGEN_MATH_FUNCTIONS_H
