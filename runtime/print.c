/* Prints values while a graph runs.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 16 }; /* elements of a tensor */

/* A tensor, or a part of one. */
typedef struct values {
  lathe_dtype dtype;
  const char *data;
  uint32_t rank;
  const int64_t *extents;
  int64_t count;
} values;

static int64_t count_of(const int64_t *extents, uint32_t rank) {
  int64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i)
    count *= extents[i];
  return count;
}

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float from_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = (half >> 10) & 31, significand = half & 1023;
  if (exponent == 31)
    return from_bits(sign | 0x7f800000u | significand << 13);
  if (exponent == 0) {
    const float magnitude = (float)significand * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return from_bits(sign | (exponent + 112) << 23 | significand << 13);
}

#define ELEMENT(type, v, i) (((const type *)(const void *)(v)->data)[i])

/* Returns an element as a double, for means; 64-bit integers are rounded. */
static double number_at(const values *v, int64_t i) {
  switch (v->dtype) {
  case LATHE_I1:
  case LATHE_U8:
    return ELEMENT(uint8_t, v, i);
  case LATHE_I8:
    return ELEMENT(int8_t, v, i);
  case LATHE_I16:
    return ELEMENT(int16_t, v, i);
  case LATHE_I32:
    return ELEMENT(int32_t, v, i);
  case LATHE_I64:
    return (double)ELEMENT(int64_t, v, i);
  case LATHE_U16:
    return ELEMENT(uint16_t, v, i);
  case LATHE_U32:
    return ELEMENT(uint32_t, v, i);
  case LATHE_U64:
    return (double)ELEMENT(uint64_t, v, i);
  case LATHE_F16:
    return from_half(ELEMENT(uint16_t, v, i));
  case LATHE_BF16:
    return from_bits((uint32_t)ELEMENT(uint16_t, v, i) << 16);
  case LATHE_F32:
    return ELEMENT(float, v, i);
  case LATHE_F64:
    return ELEMENT(double, v, i);
  }
  return NAN;
}

/* Compares two elements, even integers that are equal as doubles. */
static int is_less(const values *v, int64_t i, int64_t j) {
  if (v->dtype == LATHE_I64)
    return ELEMENT(int64_t, v, i) < ELEMENT(int64_t, v, j);
  if (v->dtype == LATHE_U64)
    return ELEMENT(uint64_t, v, i) < ELEMENT(uint64_t, v, j);
  return number_at(v, i) < number_at(v, j);
}

/* Writes the shortest text that reads back as the same number; five digits for a half. */
static void write_float(FILE *out, lathe_dtype dtype, double value) {
  char text[40];
  int digits = 5;
  const int most = dtype == LATHE_F32 ? 9 : dtype == LATHE_F64 ? 17 : 5;
  for (; digits <= most; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    const double back = strtod(text, NULL);
    if (dtype == LATHE_F32 ? (float)back == (float)value : back == value)
      break;
  }
  fputs(isnan(value) ? "nan" : text, out);
}

static void write_element(FILE *out, const values *v, int64_t i) {
  if (v->dtype == LATHE_I1)
    fputs(ELEMENT(uint8_t, v, i) ? "true" : "false", out);
  else if (v->dtype == LATHE_I64)
    fprintf(out, "%" PRId64, ELEMENT(int64_t, v, i));
  else if (v->dtype == LATHE_U64)
    fprintf(out, "%" PRIu64, ELEMENT(uint64_t, v, i));
  else if (v->dtype >= LATHE_F16)
    write_float(out, v->dtype, number_at(v, i));
  else
    fprintf(out, "%.0f", number_at(v, i));
}

/* Writes "f32[2][3] min 1 max 6 mean 3.5: 1 2 3 4 5 6". */
static void write_tensor(FILE *out, const values *v) {
  fprintf(out, ": %s", lathe_dtype_name(v->dtype));
  for (uint32_t i = 0; i < v->rank; ++i)
    fprintf(out, "[%" PRId64 "]", v->extents[i]);
  if (v->count == 0) {
    fputs(" empty", out);
    return;
  }
  int64_t lowest = 0, highest = 0;
  double sum = 0;
  for (int64_t i = 0; i < v->count; ++i) {
    const double number = number_at(v, i);
    sum += number;
    if (is_less(v, i, lowest) || isnan(number))
      lowest = i;
    if (is_less(v, highest, i) || isnan(number))
      highest = i;
  }
  fputs(" min ", out);
  write_element(out, v, lowest);
  fputs(" max ", out);
  write_element(out, v, highest);
  if (isnan(sum)) /* of either sign */
    fputs(" mean nan:", out);
  else
    fprintf(out, " mean %.6g:", sum / (double)v->count);
  for (int64_t i = 0; i < v->count && i < SHOWN; ++i) {
    fputc(' ', out);
    write_element(out, v, i);
  }
  if (v->count > SHOWN)
    fputs(" ...", out);
}

/* Writes "[2, 5]", the index of a part in row-major order. */
static void write_index(FILE *out, int64_t part, const int64_t *extents, uint32_t rank) {
  int64_t parts = count_of(extents, rank);
  for (uint32_t i = 0; i < rank; ++i) {
    parts /= extents[i];
    fprintf(out, "%s%" PRId64, i == 0 ? "[" : ", ", part / parts);
    part %= parts;
  }
  if (rank > 0)
    fputc(']', out);
}

void lathe_print(lathe_context *context, const lathe_print_info *info, const int64_t *extents, const void *data,
                 const uint8_t *mask) {
  (void)context;
  const int64_t parts = count_of(extents, info->mask_rank);
  values v = {info->dtype, data, info->rank - info->mask_rank, extents + info->mask_rank, 0};
  v.count = count_of(v.extents, v.rank);
  flockfile(stderr); /* keeps lines whole if other threads write */
  for (int64_t part = 0; part < parts; ++part, v.data += (size_t)v.count * lathe_dtype_size(v.dtype)) {
    if (mask && !mask[part])
      continue;
    fprintf(stderr, "%s:%" PRId32 ": %s", info->file, info->line, info->text ? info->text : "value");
    write_index(stderr, part, extents, info->mask_rank);
    if (v.rank == 0) {
      fputs(" = ", stderr);
      write_element(stderr, &v, 0);
    } else {
      write_tensor(stderr, &v);
    }
    fputc('\n', stderr);
  }
  funlockfile(stderr);
}
