/* The parts of a step on several contexts: sums of every float type, and threads that keep their numbers.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "../../runtime/shards.h"
#include "check.h"

#include <pthread.h>

static uint16_t sum_of(lathe_dtype dtype, uint16_t a, uint16_t b, double weight) {
  const void *parts[] = {&a, &b};
  const double weights[] = {weight, weight};
  uint16_t sum = 0;
  lathe_weighted_sum(dtype, &sum, parts, weights, 2, 0, 1);
  return sum;
}

/* Each number is the mean of itself and itself, zeros and infinities with their signs; NaN stays one. */
static void every_number(lathe_dtype dtype, uint32_t infinity) {
  int wrong = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t mean = sum_of(dtype, (uint16_t)bits, (uint16_t)bits, 0.5);
    wrong += (bits & 0x7FFF) > infinity ? (mean & 0x7FFFu) <= infinity : mean != bits;
  }
  CHECK_EQUAL(wrong, 0);
}

static void rounding(void) {
  CHECK_EQUAL(sum_of(LATHE_F16, 0x6800, 0x3C00, 1), 0x6800);  /* 2048 + 1: the even one below */
  CHECK_EQUAL(sum_of(LATHE_F16, 0x6801, 0x3C00, 1), 0x6802);  /* 2050 + 1: the even one above */
  CHECK_EQUAL(sum_of(LATHE_F16, 0x7BFF, 0x4B80, 1), 0x7BFF);  /* 65504 + 15 */
  CHECK_EQUAL(sum_of(LATHE_F16, 0x7BFF, 0x4C00, 1), 0x7C00);  /* 65504 + 16 */
  CHECK_EQUAL(sum_of(LATHE_F16, 0x0001, 0x0001, 1), 0x0002);  /* below the least normal number */
  CHECK_EQUAL(sum_of(LATHE_F16, 0x03FF, 0x0001, 1), 0x0400);  /* up to it */
  CHECK_EQUAL(sum_of(LATHE_F16, 0x07FF, 0x0001, 1), 0x0800);  /* a carry into the exponent */
  CHECK_EQUAL(sum_of(LATHE_BF16, 0x4380, 0x3F80, 1), 0x4380); /* 256 + 1 */
  CHECK_EQUAL(sum_of(LATHE_BF16, 0x4381, 0x3F80, 1), 0x4382); /* 258 + 1 */
  CHECK_EQUAL(sum_of(LATHE_BF16, 0x7F7F, 0x7F7F, 1), 0x7F80);
}

/* A part of the elements, in f64 before it is rounded: 1 would be lost in f32. */
static void part(void) {
  const float a[] = {0, 16777216, 0}, b[] = {0, 1, 0}, c[] = {0, 1, 0};
  const void *parts[] = {a, b, c};
  const double weights[] = {1, 1, 1};
  float sum[] = {7, 7, 7};
  lathe_weighted_sum(LATHE_F32, sum, parts, weights, 3, 1, 2);
  CHECK(sum[0] == 7 && sum[1] == 16777218 && sum[2] == 7);
  const double d[] = {0.1}, e[] = {0.2};
  const void *doubles[] = {d, e};
  double total;
  lathe_weighted_sum(LATHE_F64, &total, doubles, weights, 2, 0, 1);
  CHECK(total == 0.1 + 0.2);
}

enum { MEMBERS = 4, ROUNDS = 300 };

typedef struct attendance {
  pthread_t thread;
  int count;
} attendance;

static void attend(void *closure, int number) {
  attendance *each = (attendance *)closure + number;
  if (each->count++ == 0)
    each->thread = pthread_self();
  else if (!pthread_equal(each->thread, pthread_self()))
    each->count = -ROUNDS;
}

static void team(void) {
  attendance all[MEMBERS] = {{.count = 0}};
  lathe_team *members = lathe_team_create(MEMBERS);
  CHECK(members != NULL);
  for (int round = 0; members && round < ROUNDS; ++round)
    lathe_team_run(members, attend, all, 1 + round % MEMBERS);
  lathe_team_destroy(members);
  for (int i = 0; i < MEMBERS; ++i)
    CHECK_EQUAL(all[i].count, ROUNDS / MEMBERS * (MEMBERS - i));
  lathe_team_destroy(lathe_team_create(1));
  lathe_team_destroy(NULL);
}

int main(void) {
  every_number(LATHE_F16, 0x7C00);
  every_number(LATHE_BF16, 0x7F80);
  rounding();
  part();
  team();
  return check_result();
}
