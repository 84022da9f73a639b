// The long run: all f32 operands, and as many f64 ones as are asked for.
#ifndef LATHE_TEST_UNIT_MATH_MEASURE_H
#define LATHE_TEST_UNIT_MATH_MEASURE_H

#include "Reference.h"
#include <cstdint>

struct LongRun {
  /// Every one of so many f32 operands is taken.
  uint64_t stride = 1;
  /// Operands of f64, and of f32 with more than one operand.
  uint64_t samples = 100000000;
  uint64_t seed = 1;
};

/// Prints a line for f32 and one for f64, fields apart by tabs: name, type, bound, largest error with FMA and without, number
/// of operands, nanoseconds an element on x86-64-v4, v3 and v2. False if a bound is broken, or if the references disagree.
bool measureLong(const Function &function, const LongRun &run);

#endif // LATHE_TEST_UNIT_MATH_MEASURE_H
