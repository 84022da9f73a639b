// The functions in hundreds of bits, where the tool is built with MPFR.
#ifndef LATHE_TEST_UNIT_MATH_MULTIPRECISION_H
#define LATHE_TEST_UNIT_MATH_MULTIPRECISION_H

#include "Reference.h"
#include <optional>
#include <string>

/// The value at x, y, rounded to a long double; nullopt without MPFR, for a function that it lacks, and where the value is 0,
/// not finite or denormal, which libm has right.
std::optional<long double> multiprecision(const std::string &function, double x, double y);

/// True if a value of libm is within 2^-8 of an f64's ULP of that, or of the least one that counts, if there is one.
bool agrees(const Function &function, double x, double y, long double value);

#endif // LATHE_TEST_UNIT_MATH_MULTIPRECISION_H
