// All operands of f16 and bf16: these are computed in f32 and rounded.
#ifndef LATHE_TEST_UNIT_MATH_HALVES_H
#define LATHE_TEST_UNIT_MATH_HALVES_H

#include "Reference.h"

/// The largest error of all 65536 operands in ULP of the half type, the larger one of code with FMA and without.
struct HalfErrors {
  double f16 = 0, bf16 = 0;
};

/// Returns the largest errors of a function of one operand.
HalfErrors measureHalves(const Function &function);

/// The limit on every function's error: half an ULP for the last rounding, and 4 ULP of f32 before it, which are 2^-11 of f16.
inline constexpr double kHalfBound = 0.501;

#endif // LATHE_TEST_UNIT_MATH_HALVES_H
