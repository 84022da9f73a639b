#include "Reference.h"
#include <algorithm>
#include <cmath>
#include <limits>

template <typename T>
static T logisticOf(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

#define UNARY(expression)                                                                                                      \
  [](double x, double) -> double { return expression; }, [](long double x, long double) -> long double { return expression; }
#define BINARY(expression)                                                                                                     \
  [](double x, double y) -> double { return expression; },                                                                     \
      [](long double x, long double y) -> long double { return expression; }

const std::vector<Function> &functions() {
  static const std::vector<Function> table = {
      {"exp", 1, 1, 1, 1, 1, UNARY(std::exp(x))},         {"expm1", 1, 1.5, 1.5, 1.5, 1.5, UNARY(std::expm1(x))},
      {"log", 1, 1, 1, 1, 1, UNARY(std::log(x))},         {"log1p", 1, 1.5, 1.5, 1.5, 1.5, UNARY(std::log1p(x))},
      {"tanh", 1, 1.5, 3, 1.5, 3, UNARY(std::tanh(x))},   {"logistic", 1, 2, 2.1, 2, 2.1, UNARY(logisticOf(x))},
      {"sin", 1, 2, 3, 2, 3, UNARY(std::sin(x))},         {"cos", 1, 2, 3, 2, 3, UNARY(std::cos(x))},
      {"erf", 1, 1.5, 1.5, 1.5, 1.5, UNARY(std::erf(x))}, {"pow", 2, 1, 1.5, 1, 1.5, BINARY(std::pow(x, y))},
      {"rem", 2, 0, 0, 0, 0, BINARY(std::fmod(x, y))},    {"rsqrt", 1, 1.5, 1.5, 1.5, 1.5, UNARY(1 / std::sqrt(x))},
  };
  return table;
}

template <typename T, typename Exact>
double errorInUlps(T result, Exact exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (result == 0 && std::signbit(result) != std::signbit(exact))
    return wrong;
  const Exact beyond = std::ldexp(Exact(1), Limits::max_exponent);
  auto limited = [&](Exact x) { return std::clamp(x, -beyond, beyond); };
  int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(limited(exact)) + 1;
  exponent = std::clamp<int>(exponent, Limits::min_exponent, Limits::max_exponent);
  Exact distance = std::fabs(limited(static_cast<Exact>(result)) - limited(exact));
  return static_cast<double>(std::ldexp(distance, Limits::digits - exponent));
}

template double errorInUlps(float, double);
template double errorInUlps(double, long double);
