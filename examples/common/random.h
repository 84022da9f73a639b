/* Random numbers that follow from a seed alone.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_RANDOM_H
#define EXAMPLES_RANDOM_H

#include <stdint.h>

/* splitmix64 by S. Vigna, reduced to [0, bound) by its high bits. */
static inline int64_t random_below(uint64_t *state, int64_t bound) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (int64_t)(((z ^ z >> 31) >> 32) * (uint64_t)bound >> 32);
}

static inline void shuffle(uint64_t *state, int32_t *items, int64_t count) {
  for (int64_t i = count - 1; i > 0; --i) {
    const int64_t j = random_below(state, i + 1);
    const int32_t item = items[i];
    items[i] = items[j];
    items[j] = item;
  }
}

#endif /* EXAMPLES_RANDOM_H */
