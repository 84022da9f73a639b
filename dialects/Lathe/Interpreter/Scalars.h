// Elementwise ops on single elements. The texts of the ops in ElementwiseOps.td say what each computes.
#ifndef LATHE_INTERPRETER_SCALARS_H
#define LATHE_INTERPRETER_SCALARS_H

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace lathe::scalar {

/// Integers wrap: arithmetic goes through an unsigned type, at least as wide as C++ computes with.
template <typename T>
auto bits(T value) {
  return std::common_type_t<unsigned, std::make_unsigned_t<T>>(std::make_unsigned_t<T>(value));
}

template <std::floating_point T>
T neg(T x) {
  return -x;
}
template <std::integral T>
T neg(T x) {
  return T(0 - bits(x));
}
template <typename T>
T abs(T x) {
  if constexpr (std::floating_point<T>)
    return std::fabs(x);
  else
    return x < 0 ? neg(x) : x;
}
template <typename T>
T sign(T x) {
  if constexpr (std::floating_point<T>)
    return x > 0 ? T(1) : x < 0 ? T(-1) : x; // zeros and NaN stay
  else
    return T(x > 0) - T(x < 0);
}
template <typename T>
T invert(T x) {
  if constexpr (std::same_as<T, bool>)
    return !x;
  else
    return ~x;
}

template <typename T>
T add(T a, T b) {
  if constexpr (std::floating_point<T>)
    return a + b;
  else
    return T(bits(a) + bits(b));
}
template <typename T>
T sub(T a, T b) {
  if constexpr (std::floating_point<T>)
    return a - b;
  else
    return T(bits(a) - bits(b));
}
template <typename T>
T mul(T a, T b) {
  if constexpr (std::floating_point<T>)
    return a * b;
  else
    return T(bits(a) * bits(b));
}
template <typename T>
T div(T a, T b) {
  if constexpr (std::floating_point<T>)
    return a / b;
  else
    return b == 0 ? T(-1) : std::signed_integral<T> && b == T(-1) ? neg(a) : T(a / b);
}
template <typename T>
T rem(T a, T b) {
  if constexpr (std::floating_point<T>)
    return std::fmod(a, b);
  else
    return b == 0 ? a : std::signed_integral<T> && b == T(-1) ? T(0) : T(a % b);
}
template <std::floating_point T>
T pow(T a, T b) {
  return T(std::pow(double(a), double(b)));
}
template <typename T>
T max(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (a != a || b != b || a == b) // a zero with a plus is the larger one
      return a != a ? a : b != b ? b : std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T>
T min(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (a != a || b != b || a == b)
      return a != a ? a : b != b ? b : std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <std::integral T>
bool inWidth(T amount) {
  return amount >= 0 && amount < T(8 * sizeof(T));
}
template <std::integral T>
T shiftLeft(T a, T amount) {
  return inWidth(amount) ? T(bits(a) << amount) : T(0);
}
template <std::integral T>
T shiftRight(T a, T amount) {
  return inWidth(amount) ? T(bits(a) >> amount) : T(0);
}

// Composites go through a wider type, so that they round once but for the library's last place.
template <std::floating_point T>
T rsqrt(T x) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  return T(1 / std::sqrt(Wide(x)));
}
template <std::floating_point T>
T logistic(T x) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  return T(1 / (1 + std::exp(-Wide(x))));
}

/// The same number in type U; see lathe.convert.
template <typename U, typename T>
U convert(T x) {
  if constexpr (std::same_as<U, bool>) {
    return x != 0;
  } else if constexpr (std::floating_point<T> && std::integral<U>) {
    if (x != x)
      return 0;
    using Limits = std::numeric_limits<U>;
    if (x >= std::ldexp(T(1), Limits::digits)) // a power of two, which T has; the largest integer it may not have
      return Limits::max();
    return x <= T(Limits::min()) ? Limits::min() : U(x);
  } else {
    return U(x);
  }
}

} // namespace lathe::scalar

#endif
