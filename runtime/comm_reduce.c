/* Reductions over the values of several ranks, in an order that depends only on their number.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * n values are split at the largest power of two below n, and so are both parts. All elements are independent: they are
 * computed in blocks, which stay in the cache.
 */
#include "comm.h"
#include "half.h"

#include <string.h>

enum { BLOCK = 512 }; /* elements */

typedef union block {
  uint8_t bytes[BLOCK * 8];
  uint64_t alignment;
} block;

/* Combines `count` elements: to[i] = to[i] with right[i]. */
typedef void (*combiner)(void *to, const void *right, int64_t count, uint64_t mask);

/* ---- One combination ---- */

#ifdef __clang__ /* memory limits the speed, so that longer loops only cost space */
#define LOOP _Pragma("clang loop unroll(disable) interleave(disable)") for
#else
#define LOOP for
#endif

#define SUM(type)                                                                                                              \
  static void add_##type(void *to, const void *right, int64_t count, uint64_t mask) {                                          \
    type *const left = to;                                                                                                     \
    const type *const others = right;                                                                                          \
    (void)mask;                                                                                                                \
    LOOP(int64_t i = 0; i < count; ++i) left[i] = (type)(left[i] + others[i]);                                                 \
  }

/* The larger one of unsigned integers whose bits in `mask` are inverted. This also gives the larger one of signed integers,
 * with the sign as mask, and the smaller one, with the other bits inverted too. */
#define EXTREMUM(type)                                                                                                         \
  static void choose_##type(void *to, const void *right, int64_t count, uint64_t mask) {                                       \
    type *const left = to;                                                                                                     \
    const type *const others = right;                                                                                          \
    LOOP(int64_t i = 0; i < count; ++i) {                                                                                      \
      const type a = (type)(left[i] ^ (type)mask), b = (type)(others[i] ^ (type)mask);                                         \
      left[i] = (type)((a > b ? a : b) ^ (type)mask);                                                                          \
    }                                                                                                                          \
  }

/* The larger one of floats, or with the sign as mask the smaller one: min(a, b) = -max(-a, -b). A NaN wins, because a sum with
 * one is one. The sum of two zeros is the larger one: -0 only if both are. */
#define FLOAT_EXTREMUM(type, integer)                                                                                          \
  static void choose_##type(void *to, const void *right, int64_t count, uint64_t mask) {                                       \
    char *const left = to;                                                                                                     \
    const char *const others = right;                                                                                          \
    LOOP(int64_t i = 0; i < count; ++i) {                                                                                      \
      integer bits[2];                                                                                                         \
      type a, b;                                                                                                               \
      memcpy(&bits[0], left + (size_t)i * sizeof a, sizeof a);                                                                 \
      memcpy(&bits[1], others + (size_t)i * sizeof b, sizeof b);                                                               \
      bits[0] ^= (integer)mask;                                                                                                \
      bits[1] ^= (integer)mask;                                                                                                \
      memcpy(&a, &bits[0], sizeof a);                                                                                          \
      memcpy(&b, &bits[1], sizeof b);                                                                                          \
      a = a > b ? a : a < b ? b : a == b && a != 0 ? a : a + b;                                                                \
      memcpy(&bits[0], &a, sizeof a);                                                                                          \
      bits[0] ^= (integer)mask;                                                                                                \
      memcpy(left + (size_t)i * sizeof a, &bits[0], sizeof a);                                                                 \
    }                                                                                                                          \
  }

SUM(uint8_t)
SUM(uint16_t)
SUM(uint32_t)
SUM(uint64_t)
SUM(float)
SUM(double)
EXTREMUM(uint8_t)
EXTREMUM(uint16_t)
EXTREMUM(uint32_t)
EXTREMUM(uint64_t)
FLOAT_EXTREMUM(float, uint32_t)
FLOAT_EXTREMUM(double, uint64_t)

typedef struct combination {
  combiner sum, choose;
  uint64_t sign; /* mask for max; floats have it for min */
} combination;

#define OF(type) {add_##type, choose_##type, 0}
#define OF_SIGNED(type) {add_##type, choose_##type, (uint64_t)1 << (8 * sizeof(type) - 1)}

static const combination table[] = {
    [LATHE_I1] = {NULL, choose_uint8_t, 0},
    [LATHE_I8] = OF_SIGNED(uint8_t),
    [LATHE_I16] = OF_SIGNED(uint16_t),
    [LATHE_I32] = OF_SIGNED(uint32_t),
    [LATHE_I64] = OF_SIGNED(uint64_t),
    [LATHE_U8] = OF(uint8_t),
    [LATHE_U16] = OF(uint16_t),
    [LATHE_U32] = OF(uint32_t),
    [LATHE_U64] = OF(uint64_t),
    [LATHE_F16] = OF_SIGNED(float),
    [LATHE_BF16] = OF_SIGNED(float),
    [LATHE_F32] = OF_SIGNED(float),
    [LATHE_F64] = OF_SIGNED(double),
};

static combiner combiner_of(lathe_dtype dtype, lathe_reduction reduction) {
  if (lathe_dtype_size(dtype) == 0)
    return NULL;
  return reduction == LATHE_SUM                             ? table[dtype].sum
         : reduction == LATHE_MAX || reduction == LATHE_MIN ? table[dtype].choose
                                                            : NULL;
}

/* Integers are compared as unsigned ones, so that the sign has to be inverted for max. */
static uint64_t mask_of(lathe_dtype dtype, lathe_reduction reduction) {
  if (dtype >= LATHE_F16)
    return reduction == LATHE_MIN ? table[dtype].sign : 0;
  return reduction == LATHE_MIN ? ~table[dtype].sign : table[dtype].sign;
}

bool lathe_can_reduce(lathe_dtype dtype, lathe_reduction reduction) { return combiner_of(dtype, reduction) != NULL; }

/* ---- Blocks ---- */

/* A block of the elements of all inputs. */
typedef struct source {
  lathe_dtype dtype;
  combiner combine;
  uint64_t mask;
  size_t size; /* bytes of an element */
  const void *const *inputs;
  int64_t begin, count; /* elements */
} source;

static void load(const source *from, int64_t input, block *to) {
  const char *data = (const char *)from->inputs[input] + (size_t)from->begin * from->size;
  float *floats = (float *)(void *)to->bytes;
  if (from->dtype == LATHE_F16)
    for (int64_t i = 0; i < from->count; ++i)
      floats[i] = lathe_float_of_half(((const uint16_t *)(const void *)data)[i]);
  else if (from->dtype == LATHE_BF16)
    for (int64_t i = 0; i < from->count; ++i)
      floats[i] = lathe_float_of_brain(((const uint16_t *)(const void *)data)[i]);
  else
    memcpy(to->bytes, data, (size_t)from->count * from->size);
}

static void store(const source *of, const block *from, void *output) {
  char *data = (char *)output + (size_t)of->begin * of->size;
  const float *floats = (const float *)(const void *)from->bytes;
  if (of->dtype == LATHE_F16)
    for (int64_t i = 0; i < of->count; ++i)
      ((uint16_t *)(void *)data)[i] = lathe_half_of_float(floats[i]);
  else if (of->dtype == LATHE_BF16)
    for (int64_t i = 0; i < of->count; ++i)
      ((uint16_t *)(void *)data)[i] = lathe_brain_of_float(floats[i]);
  else
    memcpy(data, from->bytes, (size_t)of->count * of->size);
}

/* Combines inputs [first, first + count). The depth is the logarithm of their number. */
static void combine_tree(const source *from, int64_t first, int64_t count, block *to) {
  if (count == 1) {
    load(from, first, to);
    return;
  }
  int64_t left = 1;
  while (2 * left < count)
    left *= 2;
  combine_tree(from, first, left, to);
  const bool is_direct = count - left == 1 && from->dtype != LATHE_F16 && from->dtype != LATHE_BF16;
  if (is_direct) { /* without a copy */
    from->combine(to->bytes, (const char *)from->inputs[first + left] + (size_t)from->begin * from->size, from->count,
                  from->mask);
    return;
  }
  block right;
  combine_tree(from, first + left, count - left, &right);
  from->combine(to->bytes, right.bytes, from->count, from->mask);
}

void lathe_reduce(lathe_dtype dtype, lathe_reduction reduction, const void *const *inputs, int64_t count, void *const *outputs,
                  int64_t output_count, int64_t begin, int64_t end) {
  source from = {.dtype = dtype,
                 .combine = combiner_of(dtype, reduction),
                 .mask = mask_of(dtype, reduction),
                 .size = lathe_dtype_size(dtype),
                 .inputs = inputs};
  block total;
  for (from.begin = begin; from.begin < end; from.begin += BLOCK) {
    from.count = end - from.begin < BLOCK ? end - from.begin : BLOCK;
    combine_tree(&from, 0, count, &total);
    for (int64_t i = 0; i < output_count; ++i)
      store(&from, &total, outputs[i]);
  }
}
