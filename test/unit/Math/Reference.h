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
  /// For a function of f64 that is a difference and may cancel, the measure of its error if the value is smaller.
  long double (*least)(long double x) = nullptr;
  /// The largest error of f32 under --math=fast; 0 for a function without a shorter version.
  double fastBound = 0;
};

const std::vector<Function> &functions();

/// Distance of `result` from `exact` in ULP of T at `exact`, or at `least` if that is larger; infinite if one alone is NaN or a
/// zero has the wrong sign. Overflow counts as the next power of two.
template <typename T, typename Exact>
double errorInUlps(T result, Exact exact, Exact least = 0);

#endif // LATHE_TEST_UNIT_MATH_REFERENCE_H
