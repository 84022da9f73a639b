/* The kernels of the fake driver, and their results.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_FAKE_KERNELS_H
#define LATHE_TEST_RUNTIME_FAKE_KERNELS_H

#include <stdint.h>

enum { LAUNCH_FAILED = 719 };

typedef struct kernel {
  const char *name;
  unsigned words;
  int (*run)(const uint64_t *words, unsigned blocks); /* 0, or what the device's context answers with from then on */
} kernel;

static inline float *floats(uint64_t word) { return (float *)(uintptr_t)word; }

static int add_one(const uint64_t *words, unsigned blocks) { /* to, from, a float a block */
  for (unsigned i = 0; i < blocks; ++i)
    floats(words[0])[i] = floats(words[1])[i] + 1;
  return 0;
}

static int add(const uint64_t *words, unsigned blocks) { /* to, a, b */
  for (unsigned i = 0; i < blocks; ++i)
    floats(words[0])[i] = floats(words[1])[i] + floats(words[2])[i];
  return 0;
}

static int trap(const uint64_t *words, unsigned blocks) {
  (void)words;
  (void)blocks;
  return LAUNCH_FAILED;
}

/* to, and two words more; then, where a multiple of 128 bytes is, what the driver was told of a matrix. */
static int tell_map(const uint64_t *words, unsigned blocks) {
  for (int i = 0; i < 4; ++i)
    floats(words[0])[i] = (float)words[16 + i];
  floats(words[0])[4] = (float)blocks;
  return 0;
}

static const kernel kernels[] = {{"add_one", 2, add_one}, {"add", 3, add}, {"trap", 1, trap}, {"tell_map", 32, tell_map}};

#endif /* LATHE_TEST_RUNTIME_FAKE_KERNELS_H */
