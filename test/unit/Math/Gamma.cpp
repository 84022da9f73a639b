#include "Gamma.h"
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <vector>

using std::numbers::pi_v;

long double logGamma(long double x) {
  int sign = 0;
  return lgammal_r(x, &sign);
}

long double logGammaAtLeast(long double x) { return std::fmax(logGamma(x), 0.25L); }

/// The sum of d / ((x + k) (zero + k)), d = x - zero: relative to d, so exact near the zero too. The rest by the asymptotic
/// series, whose terms' differences are taken by logarithms.
static long double digammaOfPositive(long double x) {
  constexpr long double zero = 1.46163214496836234126L, zeroLow = -1.8257096315963484215e-20L;
  constexpr int terms = 40;
  long double d = (x - zero) - zeroLow, far = zero + terms, sum = 0;
  long double ratio = std::log1p(d / far);
  static const std::vector<long double> factors = [&] {
    std::vector<long double> factors;
    for (size_t j = 1; j <= std::size(bernoulli); ++j)
      factors.push_back(bernoulli[j - 1] / (2.0L * j) * std::pow(far, -2.0L * j));
    return factors;
  }();
  for (size_t j = std::size(bernoulli); j >= 1; --j)
    sum -= factors[j - 1] * std::expm1(-2.0L * j * ratio);
  sum += ratio - std::expm1(-ratio) / (2 * far);
  for (int k = terms; k-- > 0;)
    sum += d / (x + k) / (zero + k);
  return sum;
}

long double digammaAbove(long double x) { return x < 1 ? digammaOfPositive(1 + x) : digammaOfPositive(x) + 1 / x; }

/// sin and cos of pi times the part of x beside an integer; cos is 0 exactly where that is 1/2.
static long double restOf(long double x) { return x - std::nearbyint(x); }
static long double tangent(long double r) {
  return std::fabs(r) <= 0.25L ? std::tan(pi_v<long double> * r)
                               : std::copysign(1 / std::tan(pi_v<long double> * (0.5L - std::fabs(r))), r);
}

long double digamma(long double x) {
  if (x == 0)
    return std::copysign(HUGE_VALL, -x);
  if (!(x < 0))
    return std::isinf(x) ? x : digammaOfPositive(x);
  if (std::isinf(x) || restOf(x) == 0)
    return NAN;
  return digammaAbove(-x) - pi_v<long double> / tangent(restOf(x));
}

static long double factorial(int n) { return n ? n * factorial(n - 1) : 1; }

/// x^-n, n >= 1, by products: a hundredth of the time of std::pow.
static long double reciprocalPower(long double x, int n) {
  long double power = x;
  for (int i = 1; i < n; ++i)
    power *= x;
  return 1 / power;
}

/// The sum of (x + k)^-s, k >= first.
static long double powers(int s, long double x, int first) {
  const int terms = x < 60 ? 60 : first; // a sum of many large x would be rounded as often
  long double y = x + terms, sum = 0, factor = s / 2.0L, power = reciprocalPower(y, s), square = reciprocalPower(y, 2);
  sum += power * y / (s - 1) + power / 2;
  long double rest = 0;
  power *= square * y;
  for (int j = 1; j <= int(std::size(bernoulli)); ++j, power *= square) {
    rest += bernoulli[j - 1] * factor * power;
    factor *= (s + 2 * j - 1.0L) * (s + 2 * j) / ((2 * j + 1.0L) * (2 * j + 2));
  }
  sum += rest;
  for (int k = terms; k-- > first;)
    sum += reciprocalPower(x + k, s);
  return sum;
}

long double polygammaAboveOf(int order, long double x) { return factorial(order) * powers(order + 1, x, 1); }

/// (-1)^order times the derivative of pi cot(pi r) of an order, over pi^(order + 1): 1 + c^2, 2 c (1 + c^2), ...
static long double cotangentDerivative(int order, long double c) {
  long double square = c * c, base = 1 + square;
  switch (order) {
  case 1:
    return base;
  case 2:
    return 2 * c * base;
  case 3:
    return base * (2 + 6 * square);
  default:
    return base * c * (16 + 24 * square);
  }
}

long double polygammaOf(int order, long double x) {
  long double sign = order % 2 ? 1 : -1;
  if (x == 0)
    return order % 2 ? HUGE_VALL : std::copysign(HUGE_VALL, -x);
  if (std::isinf(x))
    return x < 0 ? NAN : sign * 0.0L;
  if (!(x < 0))
    return sign * factorial(order) * powers(order + 1, x, 0);
  long double rest = restOf(x);
  if (rest == 0)
    return order % 2 ? HUGE_VALL : NAN;
  long double cotangent = 1 / tangent(-rest);
  return std::pow(pi_v<long double>, order + 1.0L) * cotangentDerivative(order, cotangent) - polygammaAboveOf(order, -x);
}
