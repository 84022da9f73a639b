#include "Multiprecision.h"
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

const std::map<std::string, Operation> table = {
    {"acos", unary<mpfr_acos>},      {"acosh", unary<mpfr_acosh>},
    {"asin", unary<mpfr_asin>},      {"asinh", unary<mpfr_asinh>},
    {"atan", unary<mpfr_atan>},      {"atan2", mpfr_atan2},
    {"atanh", unary<mpfr_atanh>},    {"cbrt", unary<mpfr_cbrt>},
    {"cos", unary<mpfr_cos>},        {"cosh", unary<mpfr_cosh>},
    {"erf", unary<mpfr_erf>},        {"erfc", unary<mpfr_erfc>},
    {"exp", unary<mpfr_exp>},        {"exp2", unary<mpfr_exp2>},
    {"expm1", unary<mpfr_expm1>},    {"hypot", mpfr_hypot},
    {"log", unary<mpfr_log>},        {"log10", unary<mpfr_log10>},
    {"log1p", unary<mpfr_log1p>},    {"log2", unary<mpfr_log2>},
    {"logistic", logistic},          {"pow", mpfr_pow},
    {"rsqrt", unary<mpfr_rec_sqrt>}, {"sin", unary<mpfr_sin>},
    {"sinh", unary<mpfr_sinh>},      {"tan", unary<mpfr_tan>},
    {"tanh", unary<mpfr_tanh>},
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

bool agrees(const std::string &function, double x, double y, long double value) {
  std::optional<long double> better = multiprecision(function, x, y);
  return !better || !(std::fabs(*better - value) > std::ldexp(std::fabs(*better), -60));
}
