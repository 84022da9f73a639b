// The largest error of a set of operands, and the time of one element.
#ifndef LATHE_TEST_UNIT_MATH_ERRORS_H
#define LATHE_TEST_UNIT_MATH_ERRORS_H

#include "Compiled.h"
#include "Reference.h"
#include <chrono>
#include <type_traits>
#include <vector>

struct Worst {
  double ulps = 0;
  long double a = 0, b = 0, c = 0, got = 0, want = 0;
};

template <typename T>
using Exact = std::conditional_t<sizeof(T) == 4, double, long double>;

template <typename T>
Exact<T> exactValue(const Function &function, T a, T b, T c) {
  if constexpr (sizeof(T) == 4)
    return function.single(a, b, c);
  else
    return function.dbl(a, b, c);
}

template <typename T>
void note(Worst &worst, const Function &function, T a, T b, T c, T got, Exact<T> want) {
  if (worst.ulps >= 0.5 && got != 0 && got == static_cast<T>(want))
    return; // the best possible result: at most half an ULP off
  Exact<T> least = sizeof(T) == 8 && function.least ? static_cast<Exact<T>>(function.least(a)) : 0; // f32 comes from f64
  double error = errorInUlps(got, want, least);
  if (!(error <= worst.ulps))
    worst = {error, a, b, c, got, want};
}

/// Elements per ns on ordinary operands in the first-level cache.
template <typename T>
double speed(const Compiled &compiled) {
  constexpr size_t count = 960, rounds = 256;
  std::vector<T> a(count), b(count), c(count, T(1)), out(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<T>(0.01 + 0.008 * static_cast<double>(i));
    b[i] = static_cast<T>(0.3 + 0.002 * static_cast<double>(i));
  }
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < rounds; ++i)
      compiled(a.data(), b.data(), c.data(), out.data(), count);
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, count * rounds / time.count());
  }
  return best;
}

#endif // LATHE_TEST_UNIT_MATH_ERRORS_H
