/* Texts of tensors.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "text.h"
#include "half.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 16 }; /* elements of a tensor */

#define ELEMENT(type) (((const type *)data)[i])

/* Returns an element as a double, for means; 64-bit integers are rounded. */
static double number_at(lathe_dtype dtype, const void *data, int64_t i) {
  switch (dtype) {
  case LATHE_I1:
  case LATHE_U8:
    return ELEMENT(uint8_t);
  case LATHE_I8:
    return ELEMENT(int8_t);
  case LATHE_I16:
    return ELEMENT(int16_t);
  case LATHE_I32:
    return ELEMENT(int32_t);
  case LATHE_I64:
    return (double)ELEMENT(int64_t);
  case LATHE_U16:
    return ELEMENT(uint16_t);
  case LATHE_U32:
    return ELEMENT(uint32_t);
  case LATHE_U64:
    return (double)ELEMENT(uint64_t);
  case LATHE_F16:
    return lathe_float_of_half(ELEMENT(uint16_t));
  case LATHE_BF16:
    return lathe_float_of_brain(ELEMENT(uint16_t));
  case LATHE_F32:
    return ELEMENT(float);
  case LATHE_F64:
    return ELEMENT(double);
  }
  return NAN;
}

#undef ELEMENT

/* Compares two elements, even integers that are equal as doubles. */
static int is_less(lathe_dtype dtype, const void *data, int64_t i, int64_t j) {
  if (dtype == LATHE_I64)
    return ((const int64_t *)data)[i] < ((const int64_t *)data)[j];
  if (dtype == LATHE_U64)
    return ((const uint64_t *)data)[i] < ((const uint64_t *)data)[j];
  return number_at(dtype, data, i) < number_at(dtype, data, j);
}

/* Writes a number of `digits` digits, such as "-1.25e+07", without an exponent. */
static void write_fixed(FILE *out, const char *scientific, int digits, int exponent, double value) {
  if (exponent < digits - 1) {
    fprintf(out, "%.*f", digits - 1 - exponent, value);
    return;
  }
  for (const char *c = scientific; *c != 'e'; ++c)
    if (*c == '-' || (*c >= '0' && *c <= '9'))
      fputc(*c, out);
  for (int zeros = exponent + 1 - digits; zeros > 0; --zeros)
    fputc('0', out);
}

static void write_float(FILE *out, lathe_dtype dtype, double value) {
  if (isnan(value)) { /* of either sign */
    fputs("nan", out);
    return;
  }
  if (isinf(value) || dtype == LATHE_F16 || dtype == LATHE_BF16) {
    fprintf(out, "%.5g", value);
    return;
  }
  char text[40];
  const int most = dtype == LATHE_F32 ? 9 : 17;
  int digits = 0, exact = 0;
  while (!exact && digits < most) {
    snprintf(text, sizeof text, "%.*e", digits++, value);
    exact = dtype == LATHE_F32 ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
  }
  const int exponent = atoi(strchr(text, 'e') + 1);
  if (exponent >= -4 && exponent <= 15)
    write_fixed(out, text, digits, exponent, value);
  else
    fputs(text, out);
}

void lathe_write_element(FILE *out, lathe_dtype dtype, const void *data, int64_t index) {
  if (dtype == LATHE_I1)
    fputs(((const uint8_t *)data)[index] ? "true" : "false", out);
  else if (dtype == LATHE_I64)
    fprintf(out, "%" PRId64, ((const int64_t *)data)[index]);
  else if (dtype == LATHE_U64)
    fprintf(out, "%" PRIu64, ((const uint64_t *)data)[index]);
  else if (dtype >= LATHE_F16)
    write_float(out, dtype, number_at(dtype, data, index));
  else
    fprintf(out, "%.0f", number_at(dtype, data, index));
}

/* Writes " min 1 max 6 mean 3.5". A NaN is both the minimum and the maximum. */
static void write_summary(FILE *out, lathe_dtype dtype, const void *data, int64_t count) {
  int64_t lowest = 0, highest = 0;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double number = number_at(dtype, data, i);
    sum += number;
    if (is_less(dtype, data, i, lowest) || isnan(number))
      lowest = i;
    if (is_less(dtype, data, highest, i) || isnan(number))
      highest = i;
  }
  fputs(" min ", out);
  lathe_write_element(out, dtype, data, lowest);
  fputs(" max ", out);
  lathe_write_element(out, dtype, data, highest);
  if (isnan(sum)) /* of either sign */
    fputs(" mean nan", out);
  else
    fprintf(out, " mean %.6g", sum / (double)count);
}

void lathe_write_tensor(FILE *out, lathe_dtype dtype, uint32_t rank, const int64_t *extents, const void *data) {
  if (rank == 0) {
    fputs(" = ", out);
    lathe_write_element(out, dtype, data, 0);
    return;
  }
  int64_t count = 1;
  fprintf(out, ": %s", lathe_dtype_name(dtype));
  for (uint32_t i = 0; i < rank; ++i) {
    fprintf(out, "[%" PRId64 "]", extents[i]);
    count *= extents[i];
  }
  if (count == 0) {
    fputs(" empty", out);
    return;
  }
  write_summary(out, dtype, data, count);
  fputc(':', out);
  for (int64_t i = 0; i < count && i < SHOWN; ++i) {
    fputc(' ', out);
    lathe_write_element(out, dtype, data, i);
  }
  if (count > SHOWN)
    fputs(" ...", out);
}
