// The elementary functions one by one, and the pieces they share.
#ifndef LATHE_CODEGEN_MATH_FUNCTIONS_H
#define LATHE_CODEGEN_MATH_FUNCTIONS_H

#include "codegen/Math/Arithmetic.h"

namespace lathe::elementary {

/// x = n ln2 + r with e^r in [3/4, 3/2]. The low bits of `biased` are n + 2 * bias (the rest belongs to the rounding trick).
struct ExpReduction {
  Real r, n;
  Bits biased;
};
ExpReduction reduceExp(Real x);
/// The same of x + low for |low| less than an ULP or so of x.
ExpReduction reduceExp(Real x, Real low);

/// e^r - 1 for e^r in [3/4, 3/2].
Real expm1Kernel(Real r);

/// m 2^n for m in [0.5, 2] in two steps: a denormal result is rounded, not flushed, and a too large one is infinite.
/// Exactly 0 where n = -2 * bias.
Real scaleInTwoSteps(Real m, Bits biased);

/// e^x for x in the range where neither the result nor 2^n under- or overflows.
Real expInRange(Real x);

Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);
Real logistic(Real x);
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
/// tanh(x), the magnitude of it, for |x| < kTanhCancels, where e^2x - 1 would cancel.
Real tanhNearZero(Real x);
inline constexpr double kTanhCancels = 0.6;
Real rsqrt(Real x);

/// A positive normal number m 2^n with m in [sqrt(1/2), sqrt(2)); `scale` is (n + bias) in the exponent's place. The fraction
/// bits of `counted` count m from sqrt(1/2) on.
struct LogReduction {
  Real n, m;
  Bits scale, counted;
};
LogReduction reduceLog(Bits bits);

/// n ln2 + log(1 + f) for integral n and 1 + f in [sqrt(1/2), sqrt(2)].
Real logKernel(Real n, Real f);

Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);
/// log(x) of an f64 with 0 < x < inf, to about 2^-65 of its value.
Pair logPair(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);

/// x = n pi/2 + r with |r| <= pi/4 and a little; only the two low bits of n count.
struct Quadrant {
  Bits n;
  Real r;
};

/// For 0 <= x; `fast` is kept in the lanes with x < limit (limit >= 2^13), which cost one branch if all are.
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
/// The derivative of digamma of an order from 1 on.
Real polygamma(Real x, unsigned order);

Real cbrt(Real x);
Real hypot(Real x, Real y);

Real pow(Real x, Real y);
/// x^y for x >= 0 and f64, but for the operands that pow itself answers. The other one is of f32, computed in f64.
Real powMagnitudeDouble(Real x, Real y);
Real powWideSingle(Real x, Real y);
/// x^y of f32 for normal x > 0 and |y log2(x)| < 126, and y log2(x), which holds beyond that too; it is NaN only where
/// y is NaN or the product too large for f32. Needs FMA.
struct NormalPower {
  Real value, logarithm;
};
NormalPower powNormalSingle(Real x, Real y);

Real rem(Real x, Real y);

/// See Approximate.cpp.
Real approximateExp(Real x);
Real approximateLogistic(Real x);
Real approximateTanh(Real x);

/// x y + z, rounded once with or without FMA.
Real fusedMultiplyAdd(Real x, Real y, Real z);

/// x^y of integers, see lathe.pow.
Bits integerPower(Bits x, Bits y);

} // namespace lathe::elementary

#endif // LATHE_CODEGEN_MATH_FUNCTIONS_H
