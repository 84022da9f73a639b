// lgamma, digamma and polygamma in long double, by other formulas than those of the compiler and of the interpreter.
#ifndef LATHE_TEST_UNIT_MATH_GAMMA_H
#define LATHE_TEST_UNIT_MATH_GAMMA_H

long double logGamma(long double x);
/// That, or 1/4 where it is less: x > 2.
long double logGammaAtLeast(long double x);
long double digamma(long double x);
/// digamma(1 + x), x >= 0.
long double digammaAbove(long double x);
/// The derivative of digamma of an order.
long double polygammaOf(int order, long double x);

/// B(2), B(4), ...
inline constexpr long double bernoulli[] = {1.0L / 6,       -1.0L / 30, 1.0L / 42,      -1.0L / 30,    5.0L / 66,
                                            -691.0L / 2730, 7.0L / 6,   -3617.0L / 510, 43867.0L / 798};

template <int order>
long double polygamma(long double x) {
  return polygammaOf(order, x);
}
/// Its magnitude at 1 + x, x >= 0.
long double polygammaAboveOf(int order, long double x);
template <int order>
long double polygammaAbove(long double x) {
  return polygammaAboveOf(order, x);
}

/// Left of `from` a value is what a term has been taken from: it is as exact as f(|x|) can be.
template <long double (*f)(long double), int from = 0>
long double beforeReflection(long double x) {
  long double y = x < from && x > -0x1p60L ? f(-x) : 0;
  return y < 0 ? -y : y;
}

#endif // LATHE_TEST_UNIT_MATH_GAMMA_H
