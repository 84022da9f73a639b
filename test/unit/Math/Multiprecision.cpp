#include "Multiprecision.h"
#include "Gamma.h"
#include <algorithm>
#include <cmath>

#ifdef LATHE_HAS_MPFR
#include <map>
#include <mpfr.h>

namespace {

using Operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
int unary(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr, mpfr_rnd_t rounding) {
  return function(out, x, rounding);
}

int logistic(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr, mpfr_rnd_t rounding) {
  mpfr_neg(out, x, rounding);
  mpfr_exp(out, out, rounding);
  mpfr_add_ui(out, out, 1, rounding);
  return mpfr_ui_div(out, 1, out, rounding);
}

int logGamma(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(out, &sign, x, rounding);
}

/// (-1)^(n + 1) n! times the sum of (x + k)^-(n + 1), of x > 0; no number below. 400 terms and Euler's and Maclaurin's formula.
template <int n>
int polygamma(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr, mpfr_rnd_t rounding) {
  mpfr_set_nan(out);
  if (mpfr_sgn(x) <= 0)
    return 0;
  mpfr_t y, term;
  mpfr_inits2(256, y, term, nullptr);
  mpfr_set(y, x, rounding);
  mpfr_set_zero(out, 1);
  for (int k = 0; k < 400; ++k, mpfr_add_ui(y, y, 1, rounding)) {
    mpfr_pow_si(term, y, -n - 1, rounding);
    mpfr_add(out, out, term, rounding);
  }
  auto addPower = [&](long double factor, int exponent) {
    mpfr_pow_si(term, y, exponent, rounding);
    mpfr_mul_d(term, term, static_cast<double>(factor), rounding);
    mpfr_add(out, out, term, rounding);
  };
  mpfr_pow_si(term, y, -n, rounding);
  mpfr_div_ui(term, term, n, rounding);
  mpfr_add(out, out, term, rounding);
  addPower(0.5L, -n - 1);
  long double factor = (n + 1) / 2.0L;
  for (int j = 1; j <= static_cast<int>(std::size(bernoulli)); ++j) {
    addPower(bernoulli[j - 1] * factor, -n - 2 * j);
    factor *= (n + 2.0L * j) * (n + 2 * j + 1) / ((2 * j + 1.0L) * (2 * j + 2));
  }
  mpfr_mul_d(out, out, (n % 2 ? 1 : -1) * std::tgamma(n + 1.0), rounding);
  mpfr_clears(y, term, nullptr);
  return 0;
}

const std::map<std::string, Operation> table = {
    {"acos", unary<mpfr_acos>},       {"acosh", unary<mpfr_acosh>},
    {"asin", unary<mpfr_asin>},       {"asinh", unary<mpfr_asinh>},
    {"atan", unary<mpfr_atan>},       {"atan2", mpfr_atan2},
    {"atanh", unary<mpfr_atanh>},     {"cbrt", unary<mpfr_cbrt>},
    {"cos", unary<mpfr_cos>},         {"cosh", unary<mpfr_cosh>},
    {"erf", unary<mpfr_erf>},         {"erfc", unary<mpfr_erfc>},
    {"exp", unary<mpfr_exp>},         {"exp2", unary<mpfr_exp2>},
    {"expm1", unary<mpfr_expm1>},     {"hypot", mpfr_hypot},
    {"log", unary<mpfr_log>},         {"log10", unary<mpfr_log10>},
    {"log1p", unary<mpfr_log1p>},     {"log2", unary<mpfr_log2>},
    {"logistic", logistic},           {"pow", mpfr_pow},
    {"rsqrt", unary<mpfr_rec_sqrt>},  {"sin", unary<mpfr_sin>},
    {"sinh", unary<mpfr_sinh>},       {"tan", unary<mpfr_tan>},
    {"tanh", unary<mpfr_tanh>},       {"lgamma", logGamma},
    {"digamma", unary<mpfr_digamma>}, {"polygamma_1", polygamma<1>},
    {"polygamma_2", polygamma<2>},    {"polygamma_3", polygamma<3>},
    {"polygamma_4", polygamma<4>},
};

struct Number {
  mpfr_t value;
  Number() { mpfr_init2(value, 256); }
  ~Number() { mpfr_clear(value); }
};

} // namespace

std::optional<long double> multiprecision(const std::string &function, double x, double y) {
  auto found = table.find(function);
  if (found == table.end())
    return std::nullopt;
  static Number a, b, result;
  mpfr_set_d(a.value, x, MPFR_RNDN);
  mpfr_set_d(b.value, y, MPFR_RNDN);
  found->second(result.value, a.value, b.value, MPFR_RNDN);
  long double value = mpfr_get_ld(result.value, MPFR_RNDN);
  if (!std::isfinite(value) || std::fabs(value) < 0x1p-1022L)
    return std::nullopt;
  return value;
}
#else
std::optional<long double> multiprecision(const std::string &, double, double) { return std::nullopt; }
#endif

bool agrees(const Function &function, double x, double y, long double value) {
  std::optional<long double> better = multiprecision(function.name, x, y);
  long double least = function.least ? function.least(x) : 0;
  return !better || !(std::fabs(*better - value) > std::ldexp(std::max(std::fabs(*better), least), -60));
}
