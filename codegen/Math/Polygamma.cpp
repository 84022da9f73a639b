// polygamma of any order: n! times the sum of (x + k)^-s, s = n + 1, over k = 0, 1, 2, ... The first terms are added one by
// one, the others by the Euler-Maclaurin formula. Below 0, the sum over all integers k is the nearest pole plus a power series
// around it. f32 is computed in f64.
#include "codegen/Math/Functions.h"
#include "llvm/ADT/SmallVector.h"
#include <bit>
#include <cmath>

namespace lathe::elementary {

namespace {

/// B(2), B(4), ...
constexpr long double bernoulli[] = {1.0L / 6, -1.0L / 30,     1.0L / 42,      -1.0L / 30,       5.0L / 66,      -691.0L / 2730,
                                     7.0L / 6, -3617.0L / 510, 43867.0L / 798, -174611.0L / 330, 854513.0L / 138};
constexpr int corrections = 10;

/// Returns the coefficient of y^(-2 j) in the rest of the sum, relative to y^-n: B(2 j) s (s + 1) ... (s + 2 j - 2) / (2 j)!.
double correction(unsigned s, int j) {
  long double value = bernoulli[j - 1];
  for (int i = 1; i <= 2 * j; ++i)
    value *= (i < 2 * j ? s + i - 1 : 1) / static_cast<long double>(i);
  return static_cast<double>(value);
}

/// Returns the number of terms after which the first omitted correction is below 2^-58 of the rest.
int termsBefore(unsigned s) {
  int terms = 4;
  while (std::fabs(correction(s, corrections + 1)) * (s - 1) * std::pow(terms, -2.0 * (corrections + 1)) > 0x1p-58)
    ++terms;
  return terms;
}

/// Returns the sum of k^-s over k >= 1, for an integer s >= 2.
long double zeta(unsigned s) {
  constexpr int terms = 40;
  long double sum = 0;
  for (int k = terms; k-- > 1;)
    sum += std::pow(static_cast<long double>(k), -static_cast<long double>(s));
  long double rest = 1.0L / (s - 1) + 0.5L / terms;
  for (int j = 1; j <= corrections; ++j)
    rest += correction(s, j) * std::pow(static_cast<long double>(terms), -2.0L * j);
  return sum + rest * std::pow(static_cast<long double>(terms), 1 - static_cast<long double>(s));
}

/// Returns (2^scale / (y.high + y.low))^exponent. f64 results use powers of pairs, because a power multiplies the error of its
/// base.
Real inversePower(Pair y, unsigned exponent, int scale, bool isExact) {
  Real inverse = 1.0 / y.high;
  double factor = std::ldexp(1.0, scale);
  if (!isExact) {
    Real power = inverse * factor, result = power;
    for (unsigned bit = std::bit_floor(exponent) / 2; bit; bit /= 2)
      result = exponent & bit ? result * result * power : result * result;
    return result;
  }
  Pair back = product(inverse, y.high);
  Real low = (((1.0 - back.high) - back.low) - inverse * y.low) * inverse;
  Pair base = {inverse * factor, low * factor}, result = base;
  for (unsigned bit = std::bit_floor(exponent) / 2; bit; bit /= 2) {
    result = product(result, result);
    if (exponent & bit)
      result = product(result, base);
  }
  return select(abs(result.low) < inverse.infinity(), result.high + result.low, result.high); // infinities have no low part
}

struct Order {
  unsigned n, s;
  bool isExact;
  double factorial() const { return std::tgamma(n + 1.0); }
  /// Returns the exponent of a power of two whose exponent-th power is at most n!, so that no scaled power overflows before the
  /// result.
  int scaleOf(unsigned exponent) const { return static_cast<int>(std::floor(std::log2(factorial()) / exponent)); }
  double remaining(unsigned exponent, int scale) const {
    return static_cast<double>(std::ldexp(static_cast<long double>(factorial()), -scale * static_cast<int>(exponent)));
  }
};

/// Returns n! times the sum of (y + k)^-s over k >= 0, for y > 0.
Real sumFrom(Pair y, Order order) {
  int terms = termsBefore(order.s), scale = order.scaleOf(order.s);
  Mask few = y.high < terms;
  Real zero = y.high.like(0.0);
  Pair sum = {zero, zero};
  for (int k = terms; k-- > 0;) {                                           // the largest term last
    Pair place = k ? exactSum(y.high, y.high.like(k)) : Pair{y.high, zero}; // a zero keeps its sign
    place.low = place.low + y.low;
    Real term = inversePower(place, order.s, scale, order.isExact);
    Pair next = exactSum(sum.high, term);
    sum = {next.high, order.isExact ? sum.low + next.low : zero};
  }
  Real lost = select(abs(sum.high) < zero.infinity(), sum.low, zero); // unspecified for a pole
  Pair far = exactSum(y.high, select(few, double(terms), zero));
  far.low = far.low + y.low;
  Real inverse = 1.0 / far.high;
  llvm::SmallVector<double> series = {1.0 / order.n};
  for (int j = 1; j <= corrections; ++j)
    series.push_back(correction(order.s, j));
  Real rest = fma(inverse, 0.5, polynomial(inverse * inverse, series));
  int farScale = order.scaleOf(order.n) + 1; // no factor underflows before the product does
  rest = inversePower(far, order.n, farScale, order.isExact) * rest * order.remaining(order.n, farScale);
  double remaining = order.remaining(order.s, scale);
  return select(few, fma(sum.high, remaining, order.isExact ? fma(lost, remaining, rest) : rest), rest);
}

/// Returns the coefficients of 2 n! times the sum of c(s + i) binomial(s - 1 + i, i) t^(i / 2) over i with the parity of s.
/// Exponents are rounded down to even ones. The series ends when terms are below 2^-56 for t^(1/2) = reach.
template <typename Coefficient>
llvm::SmallVector<double> seriesOf(Order order, double reach, Coefficient c) {
  unsigned s = order.s, odd = s % 2;
  llvm::SmallVector<double> series;
  long double binomial = odd ? s : 1;
  for (unsigned i = odd;; i += 2) {
    long double coefficient = 2 * c(s + i) * binomial;
    series.push_back(static_cast<double>(coefficient * order.factorial()));
    if (i > s && coefficient * std::pow(reach, i) < 0x1p-56L * series.front() / order.factorial())
      return series;
    binomial = binomial * (s + i) * (s + i + 1) / ((i + 1) * (i + 2));
  }
}

/// Returns n! times the sum of (r + k)^-s over all integers k, |r| <= 1/2: the pole at 0 and a power series for the others. For
/// odd s they cancel at 1/2. From 3/8 on, a power series in the distance from 1/2 is used instead; closer to 0 there is little
/// cancellation, and that series would accumulate more rounding errors.
Real sumOverIntegers(Real r, Order order) {
  constexpr double kFar = 0.125;
  int scale = order.scaleOf(order.s);
  Real pole = inversePower({r, r.like(0.0)}, order.s, scale, order.isExact) * order.remaining(order.s, scale);
  Real others = polynomial(r * r, seriesOf(order, 0.5, zeta));
  if (order.s % 2 == 0)
    return pole + others;
  Real rest = 0.5 - abs(r);
  auto halves = [](unsigned t) { return (std::exp2(static_cast<long double>(t)) - 1) * zeta(t); }; // the sum of (k + 1/2)^-t
  Real far = rest * polynomial(rest * rest, seriesOf(order, kFar, halves));
  return select(rest < kFar, copysign(far, r), pole - r * others);
}

Real polygammaOfDouble(Real x, Order order) {
  Real m = abs(x), zero = x.like(0.0);
  Mask negative = x < 0.0;
  Pair above = exactSum(m, m.like(1.0));
  Real sum = sumFrom({select(negative, above.high, x), select(negative, above.low, zero)}, order);
  return ifAny(negative, order.n % 2 ? sum : -sum, [&] {
    Real fraction = m - trunc(m);
    Real r = select(fraction > 0.5, fraction - 1.0, fraction);
    Real y = sumOverIntegers(r, order) - sum;
    return order.n % 2 ? y : select(r == 0.0, std::numeric_limits<double>::quiet_NaN(), y);
  });
}

} // namespace

Real polygamma(Real x, unsigned order) {
  if (x.isSingle())
    return narrow(polygammaOfDouble(widen(x), {order, order + 1, false}));
  return polygammaOfDouble(x, {order, order + 1, true});
}

} // namespace lathe::elementary
