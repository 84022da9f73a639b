#include "dialects/Lathe/Interpreter/Functions.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

using namespace lathe;

#define OF(expression) [](double x, double y, double z) -> double { return expression; }

/// Computes erf_inv by Newton steps from the first term of the normal tail, in the complement from 1/2 on. Stops when a step
/// finds no better number.
static long double inverseErf(long double x) {
  long double magnitude = std::fabs(x), rest = 1 - magnitude;
  if (!(magnitude < 1))
    return magnitude == 1 ? std::copysign(HUGE_VALL, x) : NAN;
  long double y = magnitude < 0.5L ? magnitude : std::sqrt(-std::log(rest));
  for (int i = 0; i < 100; ++i) {
    long double off = magnitude < 0.5L ? std::erf(y) - magnitude : rest - std::erfc(y);
    long double step = off / (2 / std::sqrt(M_PIl) * std::exp(-y * y));
    y -= step;
    if (std::fabs(step) <= 0x1p-62L * y)
      break;
  }
  return std::copysign(y, x);
}

/// Returns log(|gamma(x)|), without the global sign that lgamma sets.
static double logGamma(double x) {
  int sign = 0;
  return double(lgammal_r(x, &sign));
}

/// The start of the asymptotic series of digamma and its derivatives, and their Bernoulli numbers B(2), B(4), ...
static constexpr int kFar = 24;
static constexpr long double kBernoulli[] = {1.0L / 6,       -1.0L / 30, 1.0L / 42,      -1.0L / 30,    5.0L / 66,
                                             -691.0L / 2730, 7.0L / 6,   -3617.0L / 510, 43867.0L / 798};

/// Returns pi cot(pi x), computed from the distance of x to an integer.
static long double piCotangent(long double x) {
  long double rest = x - std::round(x);
  return M_PIl / std::tan(M_PIl * rest);
}

/// Returns the sum of (x + k)^-s over k >= 0, x > 0: term by term, then by the Euler-Maclaurin formula.
static long double hurwitzZeta(int s, long double x) {
  long double sum = 0;
  for (int far = kFar + s; x < far; ++x)
    sum += std::pow(x, -(long double)s);
  if (std::isinf(x))
    return 0;
  sum += std::pow(x, 1.0L - s) / (s - 1) + std::pow(x, -(long double)s) / 2;
  long double factor = 1; // s (s + 1) ... (s + 2 j - 2) / (2 j)!
  for (int j = 1; j <= int(std::size(kBernoulli)); ++j) {
    factor *= j == 1 ? s / 2.0L : (s + 2 * j - 3.0L) * (s + 2 * j - 2.0L) / ((2 * j - 1.0L) * (2 * j));
    sum += kBernoulli[j - 1] * factor * std::pow(x, 1.0L - s - 2 * j);
  }
  return sum;
}

/// The positive zero of digamma is kZero + kZeroRest.
static constexpr long double kZero = 1.461632144968362341172L, kZeroRest = 9.01631209325869591861e-20L;

/// Computes digamma near its positive zero by the Taylor series there: its coefficient of order n >= 1 is
/// (-1)^(n + 1) zeta(n + 1, zero).
static long double digammaBesideZero(long double x) {
  static const auto coefficients = [] {
    std::array<long double, 48> zetas; // the terms fall by a factor of 4 or more within 1/3
    for (size_t n = 1; n <= zetas.size(); ++n)
      zetas[n - 1] = (n % 2 ? 1 : -1) * hurwitzZeta(int(n) + 1, kZero);
    return zetas;
  }();
  long double distance = (x - kZero) - kZeroRest, sum = 0;
  for (long double coefficient : llvm::reverse(coefficients))
    sum = sum * distance + coefficient;
  return sum * distance;
}

/// Uses digamma(x + 1) = digamma(x) + 1 / x until the asymptotic series holds; below 0 digamma(1 - x) = digamma(x) + pi cot(pi
/// x).
static long double digamma(long double x) {
  if (x == 0)
    return std::copysign(HUGE_VALL, -x);
  if (x < 0)
    return x == std::floor(x) ? NAN : digamma(1 - x) - piCotangent(x);
  if (std::fabs(x - kZero) < 1.0L / 3) // the terms below would cancel
    return digammaBesideZero(x);
  long double sum = 0;
  for (; x < kFar; ++x)
    sum -= 1 / x;
  sum += std::log(x) - 0.5L / x;
  for (size_t j = 1; j <= std::size(kBernoulli); ++j)
    sum -= kBernoulli[j - 1] / (2.0L * j) * std::pow(x, -2.0L * j);
  return sum;
}

/// Returns a derivative of pi cot(pi x), from d cot / dx = -pi (1 + cot^2): a polynomial in the cotangent.
static long double cotangentDerivative(int order, long double x) {
  std::vector<long double> powers = {0, 1};
  for (int i = 0; i < order; ++i) {
    std::vector<long double> next(powers.size() + 1);
    for (size_t j = 1; j < powers.size(); ++j) {
      next[j - 1] -= j * powers[j];
      next[j + 1] -= j * powers[j];
    }
    powers = next;
  }
  long double cotangent = piCotangent(x) / M_PIl, sum = 0;
  for (size_t j = powers.size(); j-- > 0;)
    sum = sum * cotangent + powers[j];
  return sum * std::pow(M_PIl, order + 1.0L);
}

/// Returns (-1)^(n + 1) n! zeta(n + 1, x); below 0 by the derivative of digamma's reflection.
static long double polygamma(long double x, int order) {
  long double factorial = std::tgamma(order + 1.0L), sign = order % 2 ? 1 : -1;
  if (x == 0)
    return order % 2 ? HUGE_VALL : std::copysign(HUGE_VALL, -x);
  if (!(x < 0))
    return sign * factorial * hurwitzZeta(order + 1, x);
  if (x == std::floor(x) && !std::isinf(x))
    return order % 2 ? HUGE_VALL : NAN;
  return -sign * polygamma(1 - x, order) - cotangentDerivative(order, x);
}

// Compositions use a wider type, so that they round once except for the library's last digit.
static const ElementaryFunction table[] = {
    {"acos", OF(std::acos(x))},
    {"acosh", OF(std::acosh(x))},
    {"asin", OF(std::asin(x))},
    {"asinh", OF(std::asinh(x))},
    {"atan", OF(std::atan(x))},
    {"atan2", OF(std::atan2(x, y))},
    {"atanh", OF(std::atanh(x))},
    {"cbrt", OF(std::cbrt(x))},
    {"cos", OF(std::cos(x))},
    {"cosh", OF(std::cosh(x))},
    {"digamma", OF(double(digamma(x)))},
    {"erf", OF(std::erf(x))},
    {"erf_inv", OF(inverseErf(x))},
    {"erfc", OF(std::erfc(x))},
    {"exp", OF(std::exp(x))},
    {"exp2", OF(std::exp2(x))},
    {"expm1", OF(std::expm1(x))},
    {"fma", OF(std::fma(x, y, z)), [](float x, float y, float z) { return std::fma(x, y, z); }},
    {"hypot", OF(std::hypot(x, y))},
    {"lgamma", OF(logGamma(x))},
    {"log", OF(std::log(x))},
    {"log10", OF(std::log10(x))},
    {"log1p", OF(std::log1p(x))},
    {"log2", OF(std::log2(x))},
    {"logistic", OF(1 / (1 + std::exp(-static_cast<long double>(x))))},
    {"polygamma", OF(double(polygamma(x, int(y))))},
    {"pow", OF(std::pow(x, y))},
    {"rsqrt", OF(1 / std::sqrt(static_cast<long double>(x)))},
    {"sin", OF(std::sin(x))},
    {"sinh", OF(std::sinh(x))},
    {"tan", OF(std::tan(x))},
    {"tanh", OF(std::tanh(x))},
};

const ElementaryFunction *lathe::elementaryFunction(llvm::StringRef name) {
  const ElementaryFunction *found = llvm::find_if(table, [&](const ElementaryFunction &each) { return each.name == name; });
  return found == std::end(table) ? nullptr : found;
}
