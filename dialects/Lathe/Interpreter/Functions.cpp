#include "dialects/Lathe/Interpreter/Functions.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <iterator>

using namespace lathe;

#define OF(expression) [](double x, double y, double z) -> double { return expression; }

/// Newton's steps from the normal tail's first term, in the complement from 1/2 on. They end where they find no better number.
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

// Composites go through a wider type, so that they round once but for the library's last place.
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
    {"erf", OF(std::erf(x))},
    {"erf_inv", OF(inverseErf(x))},
    {"erfc", OF(std::erfc(x))},
    {"exp", OF(std::exp(x))},
    {"exp2", OF(std::exp2(x))},
    {"expm1", OF(std::expm1(x))},
    {"fma", OF(std::fma(x, y, z)), [](float x, float y, float z) { return std::fma(x, y, z); }},
    {"hypot", OF(std::hypot(x, y))},
    {"log", OF(std::log(x))},
    {"log10", OF(std::log10(x))},
    {"log1p", OF(std::log1p(x))},
    {"log2", OF(std::log2(x))},
    {"logistic", OF(1 / (1 + std::exp(-static_cast<long double>(x))))},
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
