/* Collectives among threads: all kinds, types, axes and numbers of ranks against a plain computation; halves bit by bit.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "comm_threads.h"

#include "../../runtime/comm.h"
#include "../../runtime/half.h"

/* ---- Halves ---- */

static float next_float(float value, int up) { return nextafterf(value, up ? INFINITY : -INFINITY); }

/* Every half is itself after a round trip; a number between two of them becomes the nearer one, the even one in the middle. */
static void every_half(lathe_dtype dtype, float (*widen)(uint16_t), uint16_t (*narrow)(float)) {
  const uint32_t infinity = dtype == LATHE_F16 ? 0x7c00 : 0x7f80;
  int wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t half = (uint16_t)bits;
    const double value = half_value(dtype, half);
    if ((bits & 0x7fff) > infinity) {
      wrong += !isnan(widen(half)) || (narrow(widen(half)) & 0x7fffu) <= infinity;
      continue;
    }
    wrong += widen(half) != value || narrow(widen(half)) != half;
    if ((bits & 0x7fff) >= infinity - 1)
      continue;
    const float middle = (float)((value + half_value(dtype, (uint16_t)(half + 1))) / 2);
    const int away = bits < 0x8000;
    wrong += narrow(middle) != (bits % 2 ? half + 1 : half);
    wrong += narrow(next_float(middle, away)) != half + 1;
    wrong += narrow(next_float(middle, !away)) != half;
  }
  CHECK_EQUAL(wrong, 0);
  const float largest = widen((uint16_t)(infinity - 1)), below = widen((uint16_t)(infinity - 2));
  CHECK_EQUAL(narrow(largest + (largest - below) / 2), infinity);
  CHECK_EQUAL(narrow(next_float(largest + (largest - below) / 2, 0)), infinity - 1);
  CHECK_EQUAL(narrow(INFINITY), infinity);
  CHECK_EQUAL(narrow(-INFINITY), 0x8000 | infinity);
}

/* ---- Reductions in one thread, over blocks ---- */

enum { LENGTH = 1300, FIRST = 3, LAST = LENGTH - 5 };

static void reduce_directly(lathe_dtype dtype, lathe_reduction reduction, int n) {
  const size_t size = lathe_dtype_size(dtype);
  char *inputs[MOST_RANKS], *output = malloc(LENGTH * size), *second = malloc(LENGTH * size);
  for (int r = 0; r < n; ++r) {
    inputs[r] = malloc(LENGTH * size);
    for (int i = 0; i < LENGTH; ++i) {
      const element e = make_element(dtype, 5, r, i, reduction != LATHE_SUM);
      memcpy(inputs[r] + (size_t)i * size, &e, size);
    }
  }
  memset(output, 0xA5, LENGTH * size);
  void *const outputs[] = {output, second};
  lathe_reduce(dtype, reduction, (const void *const *)inputs, n, outputs, 2, FIRST, LAST);
  int wrong = 0;
  for (int i = 0; i < LENGTH; ++i) {
    element all[MOST_RANKS];
    for (int r = 0; r < n; ++r)
      all[r] = make_element(dtype, 5, r, i, reduction != LATHE_SUM);
    if (i >= FIRST && i < LAST)
      wrong += !is_reduction(dtype, reduction, all, n, read_element(dtype, output, i));
    else
      wrong += (unsigned char)output[(size_t)i * size] != 0xA5;
  }
  CHECK_EQUAL(wrong, 0);
  CHECK(memcmp(output + FIRST * size, second + FIRST * size, (LAST - FIRST) * size) == 0);
  for (int r = 0; r < n; ++r)
    free(inputs[r]);
  free(output);
  free(second);
}

static void every_reduction(void) {
  for (int dtype = LATHE_I1; dtype <= LATHE_F64; ++dtype)
    for (int reduction = dtype == LATHE_I1 ? LATHE_MAX : LATHE_SUM; reduction <= LATHE_MIN; ++reduction)
      for (int n = 1; n <= MOST_RANKS; ++n)
        reduce_directly((lathe_dtype)dtype, (lathe_reduction)reduction, n);
}

/* Three numbers whose sum depends on the order: (1e8 - 1e8) + 1, and for f16 one that is rounded only at the end. */
static void order(void) {
  const float a = 1e8f, b = -1e8f, c = 1;
  const void *floats[] = {&a, &b, &c};
  float sum = 0;
  void *to[] = {&sum};
  lathe_reduce(LATHE_F32, LATHE_SUM, floats, 3, to, 1, 0, 1);
  CHECK(sum == 1);
  const uint16_t large = 0x6800, one = 0x3c00; /* 2048 and 1: f16 does not have 2049, but 2050 */
  const void *halves[] = {&large, &one, &one};
  uint16_t half = 0;
  to[0] = &half;
  lathe_reduce(LATHE_F16, LATHE_SUM, halves, 3, to, 1, 0, 1);
  CHECK_EQUAL(half, 0x6801);
}

static void refusals(void) {
  lathe_error error = {.status = LATHE_OK};
  lathe_comm *comms[4];
  lathe_axis axes[] = {{"data", 2, 0}, {"data", 2, 0}};
  CHECK_EQUAL(lathe_comm_create_local(axes, 2, 1, comms, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "data: two axes have this name");
  axes[1] = (lathe_axis){"model", 0, 0};
  CHECK_EQUAL(lathe_comm_create_local(axes, 2, 1, comms, &error), LATHE_ERROR_DIMENSION);
  CHECK_MESSAGE(&error, "dimension 'model' is out of bounds: expected at least 1, got 0");
  axes[1].size = INT32_MAX;
  CHECK_EQUAL(lathe_comm_create_local(axes, 2, 1, comms, NULL), LATHE_ERROR_DIMENSION);
  axes[1].size = 2;
  CHECK_EQUAL(lathe_comm_create_local(axes, 2, 0, comms, NULL), LATHE_ERROR_FORMAT);
  CHECK_EQUAL(lathe_comm_create_local(axes, 2, NAN, comms, NULL), LATHE_ERROR_FORMAT);
  CHECK_EQUAL(lathe_comm_create_local(NULL, 2, 1, comms, NULL), LATHE_ERROR_NULL_ARGUMENT);
  CHECK_EQUAL(lathe_comm_create_local(axes, 2, 1, NULL, NULL), LATHE_ERROR_NULL_ARGUMENT);
  lathe_comm_destroy(NULL);
}

int main(void) {
  every_half(LATHE_F16, lathe_float_of_half, lathe_half_of_float);
  every_half(LATHE_BF16, lathe_float_of_brain, lathe_brain_of_float);
  every_reduction();
  order();
  refusals();
  for (int64_t size = 1; size <= 6; size += 1 + (size == 4)) /* 1, 2, 3, 4, 6 */
    run_job(&(lathe_axis){"data", size, 0}, 1, INFINITY, test_rank, 0);
  const lathe_axis square[] = {{"data", 2, 0}, {"model", 2, 0}}, odd[] = {{"model", 3, 0}, {"data", 2, 0}},
                   deep[] = {{"a", 2, 0}, {"one", 1, 0}, {"b", 2, 0}, {"c", 2, 0}};
  run_job(square, 2, INFINITY, test_rank, 0);
  run_job(odd, 2, INFINITY, test_rank, 0);
  run_job(deep, 4, INFINITY, test_rank, 0);
  return check_result();
}
