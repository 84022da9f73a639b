// The true values: libm one precision up, and how far a result is from them.
#ifndef LATHE_TEST_UNIT_MATH_REFERENCE_H
#define LATHE_TEST_UNIT_MATH_REFERENCE_H

#include <string>
#include <vector>

/// A function under test with the largest error allowed, in units of the last place.
struct Function {
  std::string name;
  unsigned arity;
  double singleBound, doubleBound;
  double (*single)(double x, double y, double z);
  long double (*dbl)(long double x, long double y, long double z);
};

const std::vector<Function> &functions();

/// Distance of `result` from `exact` in ULP of T at `exact`; infinite if one alone is NaN or a zero has the wrong sign.
/// Overflow counts as the next power of two.
template <typename T, typename Exact>
double errorInUlps(T result, Exact exact);

#endif // LATHE_TEST_UNIT_MATH_REFERENCE_H
