/* Weighted sums of float tensors.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "shards.h"

#include <math.h>

/* f16 and bf16, which C lacks. */
typedef struct format {
  int significand_bits, exponent_bits;
} format;

static const format half = {10, 5}, brain = {7, 8};

static double widen(format f, uint16_t bits) {
  const int top = (1 << f.exponent_bits) - 1, bias = top >> 1;
  const int exponent = bits >> f.significand_bits & top, significand = bits & ((1 << f.significand_bits) - 1);
  double value;
  if (exponent == top)
    value = significand ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp(significand, 1 - bias - f.significand_bits);
  else
    value = ldexp(significand + (1 << f.significand_bits), exponent - bias - f.significand_bits);
  return bits >> 15 ? -value : value;
}

/* Rounds to nearest, ties to even. Subnormal numbers have the exponent of the smallest normal one, and a smaller
 * significand. */
static uint16_t narrow(format f, double value) {
  const int top = (1 << f.exponent_bits) - 1, bias = top >> 1, infinity = top << f.significand_bits;
  const int sign = signbit(value) ? 0x8000 : 0;
  if (isnan(value))
    return (uint16_t)(infinity | 1 << (f.significand_bits - 1));
  if (isinf(value) || value == 0)
    return (uint16_t)(sign | (value == 0 ? 0 : infinity));
  int exponent;
  const double size = frexp(fabs(value), &exponent);
  const int own = exponent - 1;
  if (own > bias)
    return (uint16_t)(sign | infinity);
  const int used = own < 1 - bias ? 1 - bias : own;
  const double scaled = ldexp(size, exponent - used + f.significand_bits);
  const int rounded = (int)(scaled + 0x1p52 - 0x1p52);
  const int bits = ((used + bias) << f.significand_bits) + rounded - (1 << f.significand_bits);
  return (uint16_t)(sign | (bits > infinity ? infinity : bits));
}

#define SUM(type, read, write)                                                                                                 \
  for (int64_t i = begin; i < end; ++i) {                                                                                      \
    double total = weights[0] * read(((const type *)parts[0])[i]);                                                             \
    for (int part = 1; part < count; ++part)                                                                                   \
      total += weights[part] * read(((const type *)parts[part])[i]);                                                           \
    ((type *)sum)[i] = write(total);                                                                                           \
  }
#define FROM_HALF(x) widen(half, x)
#define TO_HALF(x) narrow(half, x)
#define FROM_BRAIN(x) widen(brain, x)
#define TO_BRAIN(x) narrow(brain, x)
#define AS_DOUBLE(x) ((double)(x))
#define AS_FLOAT(x) ((float)(x))

void lathe_weighted_sum(lathe_dtype dtype, void *sum, const void *const *parts, const double *weights, int count, int64_t begin,
                        int64_t end) {
  if (dtype == LATHE_F32)
    SUM(float, AS_DOUBLE, AS_FLOAT)
  else if (dtype == LATHE_F64)
    SUM(double, AS_DOUBLE, AS_DOUBLE)
  else if (dtype == LATHE_F16)
    SUM(uint16_t, FROM_HALF, TO_HALF)
  else if (dtype == LATHE_BF16)
    SUM(uint16_t, FROM_BRAIN, TO_BRAIN)
}
