#include "Reference.h"
#include "Gamma.h"
#include <algorithm>
#include <cmath>
#include <limits>

template <typename T>
static T logisticOf(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

/// By Newton's steps on the complement, or on erf where x is small, from some of bisection: with nothing in common with what it
/// judges.
static long double inverseErf(long double x) {
  constexpr long double slope = 1.128379167095512573896158903121545172L; // 2 / sqrt(pi)
  long double magnitude = std::fabs(x), rest = 1 - magnitude;
  if (!(magnitude < 1))
    return magnitude == 1 ? std::copysign(HUGE_VALL, x) : NAN;
  if (magnitude < 0x1p-40L)
    return x / slope;
  bool isSmall = magnitude < 0.5L;
  auto excess = [&](long double y) { return isSmall ? std::erf(y) - magnitude : rest - std::erfc(y); };
  long double low = 0.88L * magnitude, high = isSmall ? magnitude : 7;
  for (int i = 0; i < 6; ++i) {
    long double middle = (low + high) / 2;
    (excess(middle) < 0 ? low : high) = middle;
  }
  // To the left of the root all steps after the first go one way; the last one is below what rounding leaves.
  long double y = low;
  for (int i = 0; i < 20; ++i) {
    long double step = excess(y) / (slope * std::exp(-y * y));
    y -= step / (1 + y * step); // Halley's: erf'' / erf' is -2 y
    if (std::fabs(step) <= 0x1p-40L * y)
      break;
  }
  return std::copysign(y, x);
}

/// Both precisions of an expression in x, y and z.
#define OF(expression)                                                                                                         \
  [](double x, double y, double z) -> double { return expression; },                                                           \
      [](long double x, long double y, long double z) -> long double { return expression; }

const std::vector<Function> &functions() {
  static const std::vector<Function> table = {
      {"exp", 1, 1, 1, OF(std::exp(x)), nullptr, 3},
      {"exp2", 1, 1.5, 1.5, OF(std::exp2(x))},
      {"expm1", 1, 2, 2, OF(std::expm1(x))},
      {"log", 1, 1, 1, OF(std::log(x))},
      {"log2", 1, 2, 2, OF(std::log2(x))},
      {"log10", 1, 2, 2, OF(std::log10(x))},
      {"log1p", 1, 1.5, 1.5, OF(std::log1p(x))},
      {"sin", 1, 2, 2, OF(std::sin(x))},
      {"cos", 1, 2, 2, OF(std::cos(x))},
      {"tan", 1, 4, 4, OF(std::tan(x))},
      {"asin", 1, 2, 2, OF(std::asin(x))},
      {"acos", 1, 2, 2, OF(std::acos(x))},
      {"atan", 1, 2, 2, OF(std::atan(x))},
      {"atan2", 2, 2.5, 2.5, OF(std::atan2(x, y))},
      {"sinh", 1, 4, 4, OF(std::sinh(x))},
      {"cosh", 1, 4, 4, OF(std::cosh(x))},
      {"tanh", 1, 2, 2, OF(std::tanh(x)), nullptr, 6},
      {"asinh", 1, 4, 4, OF(std::asinh(x))},
      {"acosh", 1, 4, 4, OF(std::acosh(x))},
      {"atanh", 1, 4, 4, OF(std::atanh(x))},
      {"logistic", 1, 2, 2.1, OF(logisticOf(x)), nullptr, 4},
      {"erf", 1, 1.5, 1.5, OF(std::erf(x)), nullptr, 7},
      {"erf_inv", 1, 4, 4, OF(inverseErf(x))},
      {"erfc", 1, 4, 4, OF(std::erfc(x)), nullptr, 10},
      {"lgamma", 1, 4, 4, OF(logGamma(x)), beforeReflection<logGammaAtLeast, -2>},
      {"digamma", 1, 4, 4, OF(digamma(x)), beforeReflection<digammaAbove>},
      {"polygamma_1", 1, 4, 4, OF(polygamma<1>(x))},
      {"polygamma_2", 1, 4, 4, OF(polygamma<2>(x)), beforeReflection<polygammaAbove<2>>},
      {"polygamma_3", 1, 4, 4, OF(polygamma<3>(x))},
      {"polygamma_4", 1, 4, 4, OF(polygamma<4>(x)), beforeReflection<polygammaAbove<4>>},
      {"rsqrt", 1, 1.5, 1.5, OF(1 / std::sqrt(x))},
      {"cbrt", 1, 2, 2, OF(std::cbrt(x))},
      {"hypot", 2, 1, 2, OF(std::hypot(x, y))},
      {"pow", 2, 1.5, 1.5, OF(std::pow(x, y))},
      {"rem", 2, 0, 0, OF(std::fmod(x, y))},
      // Rounded as the function itself is to round: nothing else will do.
      {"fma", 3, 0, 0, [](double x, double y, double z) -> double { return std::fma(float(x), float(y), float(z)); },
       [](long double x, long double y, long double z) -> long double { return std::fma(double(x), double(y), double(z)); }},
  };
  return table;
}

template <typename T, typename Exact>
double errorInUlps(T result, Exact exact, Exact least) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (result == 0 && std::signbit(result) != std::signbit(exact) && least == 0)
    return wrong;
  const Exact beyond = std::ldexp(Exact(1), Limits::max_exponent);
  auto limited = [&](Exact x) { return std::clamp(x, -beyond, beyond); };
  int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(limited(exact)) + 1;
  if (least > std::fabs(exact))
    exponent = std::ilogb(least) + 1;
  exponent = std::clamp<int>(exponent, Limits::min_exponent, Limits::max_exponent);
  Exact distance = std::fabs(limited(static_cast<Exact>(result)) - limited(exact));
  return static_cast<double>(std::ldexp(distance, Limits::digits - exponent));
}

template double errorInUlps(float, double, double);
template double errorInUlps(double, long double, long double);
