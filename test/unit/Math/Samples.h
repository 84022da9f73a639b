// Operands that find errors: every exponent, random bit patterns, special values, and where each function is curved.
#ifndef LATHE_TEST_UNIT_MATH_SAMPLES_H
#define LATHE_TEST_UNIT_MATH_SAMPLES_H

#include <cstdint>
#include <string>
#include <vector>

template <typename T>
struct Samples {
  /// Equal lengths, a multiple of 192: of all numbers of lanes in use.
  std::vector<T> a, b, c;
};

/// About `count` operands of `function`; the same ones for a seed in every run.
template <typename T>
Samples<T> samplesFor(const std::string &function, unsigned arity, size_t count, uint64_t seed = 20240229);

#endif // LATHE_TEST_UNIT_MATH_SAMPLES_H
