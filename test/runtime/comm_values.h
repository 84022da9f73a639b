/* Values of every element type, and a plain reference for reductions over ranks, for the tests of communicators.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_COMM_VALUES_H
#define LATHE_TEST_RUNTIME_COMM_VALUES_H

#include "check.h"
#include "lathe/ranks.h"

#include <math.h>

/* f16 and bf16 by the definition of their bits. */
typedef struct half_format {
  int significand_bits, lowest; /* lowest: exponent of normal numbers */
} half_format;

static inline half_format format_of(lathe_dtype dtype) {
  return dtype == LATHE_F16 ? (half_format){10, -14} : (half_format){7, -126};
}

static inline double half_value(lathe_dtype dtype, uint16_t bits) {
  const half_format f = format_of(dtype);
  const int exponent = (bits & 0x7fff) >> f.significand_bits, significand = bits & ((1 << f.significand_bits) - 1);
  double value;
  if (exponent == (0x7fff >> f.significand_bits))
    value = significand ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp(significand, f.lowest - f.significand_bits);
  else
    value = ldexp(significand + (1 << f.significand_bits), exponent - 1 + f.lowest - f.significand_bits);
  return bits >> 15 ? -value : value;
}

/* The half nearest to a number, as a number; the even one of two. */
static inline double half_rounded(lathe_dtype dtype, double value) {
  const half_format f = format_of(dtype);
  if (isnan(value) || isinf(value) || value == 0)
    return value;
  int exponent = ilogb(value);
  exponent = exponent < f.lowest ? f.lowest : exponent;
  const double rounded = ldexp(nearbyint(ldexp(value, f.significand_bits - exponent)), exponent - f.significand_bits);
  const double beyond = ldexp(2, dtype == LATHE_F16 ? 15 : 127);
  return fabs(rounded) >= beyond ? copysign(INFINITY, value) : rounded;
}

/* ---- Elements ---- */

typedef union element {
  double f64;
  float f32;
  uint16_t half;
  int64_t i64;
  uint64_t u64;
  int32_t i32;
  uint32_t u32;
  int16_t i16;
  uint16_t u16;
  int8_t i8;
  uint8_t u8;
} element;

static inline element read_element(lathe_dtype dtype, const void *data, int64_t i) {
  element e = {.u64 = 0};
  memcpy(&e, (const char *)data + (size_t)i * lathe_dtype_size(dtype), lathe_dtype_size(dtype));
  return e;
}

static inline uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 31) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
  return x ^ x >> 32;
}

/* Element i of the value that a rank has in a case. Floats have exponents that make the order of a sum matter; with `special`
 * some are NaN, infinite or zeros of either sign. */
static inline element make_element(lathe_dtype dtype, uint64_t seed, int64_t rank, int64_t i, int special) {
  const uint64_t bits = mixed(seed * 1000003 + (uint64_t)rank * 7919 + (uint64_t)i * 104729 + 17);
  static const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 0.0, -0.0, 1.0};
  double value = ldexp((double)(int64_t)bits, (int)(bits % 20) - 70);
  if (special && bits % 3 == 0)
    value = specials[bits / 3 % 8];
  element e = {.u64 = 0};
  switch (dtype) {
  case LATHE_I1:
    e.u8 = bits >> 13 & 1;
    return e;
  case LATHE_F64:
    e.f64 = value;
    return e;
  case LATHE_F32:
    e.f32 = (float)value;
    return e;
  case LATHE_F16:
    e.half = (uint16_t)(bits >> 7);
    e.half = (e.half & 0x7c00) == 0x7c00 && !special ? 0x1234 : e.half;
    return e;
  case LATHE_BF16:
    e.half = (uint16_t)((bits >> 7 & 0x83ff) | 0x3c00);
    e.half = special && bits % 5 == 0 ? (uint16_t)(bits % 2 ? 0x7fc0 : 0x8000) : e.half;
    return e;
  default:
    e.u64 = lathe_dtype_size(dtype) == 8 ? bits : bits & ((UINT64_C(1) << 8 * lathe_dtype_size(dtype)) - 1);
    return e;
  }
}

/* ---- Reference ---- */

/* The balanced trees, as they are written by hand. */
#define TREE(type, v, n)                                                                                                       \
  ((n) == 1   ? (type)v[0]                                                                                                     \
   : (n) == 2 ? (type)(v[0] + v[1])                                                                                            \
   : (n) == 3 ? (type)((type)(v[0] + v[1]) + v[2])                                                                             \
   : (n) == 4 ? (type)((type)(v[0] + v[1]) + (type)(v[2] + v[3]))                                                              \
   : (n) == 5 ? (type)((type)((type)(v[0] + v[1]) + (type)(v[2] + v[3])) + v[4])                                               \
   : (n) == 6 ? (type)((type)((type)(v[0] + v[1]) + (type)(v[2] + v[3])) + (type)(v[4] + v[5]))                                \
   : (n) == 7 ? (type)((type)((type)(v[0] + v[1]) + (type)(v[2] + v[3])) + (type)((type)(v[4] + v[5]) + v[6]))                 \
              : (type)((type)((type)(v[0] + v[1]) + (type)(v[2] + v[3])) + (type)((type)(v[4] + v[5]) + (type)(v[6] + v[7]))))

enum { MOST_RANKS = 8 };

static inline double number_of(lathe_dtype dtype, element e) {
  return dtype == LATHE_F64 ? e.f64 : dtype == LATHE_F32 ? e.f32 : half_value(dtype, e.half);
}

static inline int is_float(lathe_dtype dtype) { return dtype >= LATHE_F16; }
static inline int is_half(lathe_dtype dtype) { return dtype == LATHE_F16 || dtype == LATHE_BF16; }

/* Of floats, as a number. */
static inline double reduced_number(lathe_dtype dtype, lathe_reduction reduction, const element *all, int n) {
  double numbers[MOST_RANKS] = {0};
  float floats[MOST_RANKS] = {0};
  double best = number_of(dtype, all[0]);
  for (int i = 0; i < n; ++i) {
    numbers[i] = number_of(dtype, all[i]);
    floats[i] = (float)numbers[i];
    if (isnan(numbers[i]) || isnan(best))
      best = NAN;
    else if (reduction == LATHE_MAX ? numbers[i] > best : numbers[i] < best)
      best = numbers[i];
    else if (numbers[i] == 0 && best == 0 && !!signbit(numbers[i]) == (reduction == LATHE_MIN))
      best = numbers[i];
  }
  if (reduction != LATHE_SUM)
    return best;
  if (dtype == LATHE_F64)
    return TREE(double, numbers, n);
  const float sum = TREE(float, floats, n);
  return is_half(dtype) ? half_rounded(dtype, sum) : sum;
}

/* Of integers, sign-extended or not as the type says. */
static inline int64_t integer_of(lathe_dtype dtype, element e) {
  switch (dtype) {
  case LATHE_I8:
    return e.i8;
  case LATHE_I16:
    return e.i16;
  case LATHE_I32:
    return e.i32;
  case LATHE_U16:
    return e.u16;
  case LATHE_U32:
    return e.u32;
  case LATHE_I64:
  case LATHE_U64:
    return e.i64;
  default:
    return e.u8;
  }
}

static inline uint64_t reduced_integer(lathe_dtype dtype, lathe_reduction reduction, const element *all, int n) {
  uint64_t sum = 0;
  int64_t best = integer_of(dtype, all[0]);
  for (int i = 0; i < n; ++i) {
    const int64_t x = integer_of(dtype, all[i]);
    const int greater = dtype == LATHE_U64 ? (uint64_t)x > (uint64_t)best : x > best;
    sum += (uint64_t)x;
    best = greater == (reduction == LATHE_MAX) ? x : best;
  }
  const uint64_t result = reduction == LATHE_SUM ? sum : (uint64_t)best;
  const size_t size = lathe_dtype_size(dtype);
  return size == 8 ? result : result & ((UINT64_C(1) << 8 * size) - 1);
}

/* True if `got` is the reduction of all, bit for bit; any NaN is one. */
static inline int is_reduction(lathe_dtype dtype, lathe_reduction reduction, const element *all, int n, element got) {
  if (!is_float(dtype))
    return got.u64 == reduced_integer(dtype, reduction, all, n);
  const double wanted = reduced_number(dtype, reduction, all, n), number = number_of(dtype, got);
  return isnan(wanted) ? isnan(number) : number == wanted && !signbit(number) == !signbit(wanted);
}

static inline int is_equal_element(lathe_dtype dtype, element a, element b) {
  return memcmp(&a, &b, lathe_dtype_size(dtype)) == 0;
}

#endif /* LATHE_TEST_RUNTIME_COMM_VALUES_H */
