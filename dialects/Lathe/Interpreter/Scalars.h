// Elementwise ops on single elements. ElementwiseOps.td defines what each computes.
#ifndef LATHE_INTERPRETER_SCALARS_H
#define LATHE_INTERPRETER_SCALARS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace lathe::scalar {

/// Returns an unsigned value for wrapping arithmetic, at least as wide as C++ arithmetic.
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
/// Divides and rounds down. For floats the exact remainder decides, as the rounded quotient may be an integer too high.
template <typename T>
T floorDiv(T a, T b) {
  if constexpr (std::floating_point<T>) {
    if (b == 0)
      return a / b;
    T remainder = std::fmod(a, b), quotient = (a - remainder) / b;
    if (remainder != 0 && (remainder < 0) != (b < 0))
      quotient -= 1;
    if (quotient == 0)
      return std::copysign(T(0), a / b);
    T whole = std::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
  } else {
    return b == 0 || b == T(-1) || a % b == 0 || (a < 0) == (b < 0) ? div(a, b) : T(a / b - 1);
  }
}
template <typename T>
T floorMod(T a, T b) {
  T remainder = rem(a, b);
  if (remainder == 0) {
    if constexpr (std::floating_point<T>)
      return std::copysign(remainder, b);
    return remainder;
  }
  return b != 0 && (remainder < 0) != (b < 0) ? T(remainder + b) : remainder;
}
/// Computes a power by squaring; a negative exponent divides 1.
template <std::integral T>
T pow(T a, T b) {
  if (b < 0)
    return a == 0 || a == T(-1) || a == 1 ? (a == 0 ? T(-1) : b % 2 ? a : T(1)) : T(0);
  T result = 1;
  for (; b; b /= 2, a = mul(a, a))
    if (b % 2)
      result = mul(result, a);
  return result;
}
template <std::floating_point T>
T nextafter(T a, T b) {
  return std::nextafter(a, b);
}
template <std::floating_point T>
T roundHalfAway(T x) {
  return std::round(x);
}
/// Clamps the exponent: steps past the range of T have no effect.
template <std::floating_point T, std::integral I>
T ldexp(T x, I exponent) {
  return T(std::ldexp(double(x), int(std::max<int64_t>(std::min<int64_t>(exponent, 5000), -5000))));
}
template <std::integral T>
T popcount(T x) {
  return T(std::popcount(std::make_unsigned_t<T>(x)));
}
template <std::integral T>
T countLeadingZeros(T x) {
  return T(std::countl_zero(std::make_unsigned_t<T>(x)));
}
template <std::integral T>
T countTrailingZeros(T x) {
  return T(std::countr_zero(std::make_unsigned_t<T>(x)));
}
template <typename T>
T max(T a, T b) {
  if constexpr (std::floating_point<T>)
    if (a != a || b != b || a == b) // +0 is larger than -0
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
/// Returns the neutral element of max: no number is smaller.
template <typename T>
T lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest();
}
/// Returns the neutral element of min: no number is larger.
template <typename T>
T highest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
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
template <std::integral T>
T shiftRightArithmetic(T a, T amount) {
  return inWidth(amount) ? T(a >> amount) : T(a < 0 ? -1 : 0);
}
template <typename T>
T clamp(T low, T x, T high) {
  return min(max(x, low), high);
}

/// Returns the same number in type U; see lathe.convert.
template <typename U, typename T>
U convert(T x) {
  if constexpr (std::same_as<U, bool>) {
    return x != 0;
  } else if constexpr (std::floating_point<T> && std::integral<U>) {
    if (x != x)
      return 0;
    using Limits = std::numeric_limits<U>;
    if (x >= std::ldexp(T(1), Limits::digits)) // a power of two is exact in T; the largest integer may not be
      return Limits::max();
    return x <= T(Limits::min()) ? Limits::min() : U(x);
  } else {
    return U(x);
  }
}

} // namespace lathe::scalar

#endif
