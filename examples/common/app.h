/* What the examples' applications have in common: files, memory, time, and an end where something fails.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_APP_H
#define EXAMPLES_APP_H

#include "lathe/runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static lathe_error error;

static inline void require(int condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "error: %s\n", message);
  exit(1);
}

static inline void check(lathe_status status) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(&error);
  exit(1);
}

static inline void *allocate(size_t size) {
  void *memory = lathe_alloc(size ? size : 64);
  require(memory != NULL, "out of memory");
  return memory;
}

static inline double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline const char *path(const char *folder, const char *name) {
  static char text[4096];
  snprintf(text, sizeof text, "%s/%s", folder, name);
  return text;
}

static inline lathe_array load(const char *folder, const char *name, lathe_dtype dtype, uint32_t rank) {
  lathe_array array;
  check(lathe_npy_read(path(folder, name), &array, &error));
  if (array.dtype != dtype || array.rank != rank) {
    fprintf(stderr, "error: %s: expected %s of rank %u, got %s of rank %u\n", path(folder, name), lathe_dtype_name(dtype),
            (unsigned)rank, lathe_dtype_name(array.dtype), (unsigned)array.rank);
    exit(1);
  }
  return array;
}

/* Extents end with the first 0. */
static inline void store(const char *folder, const char *name, lathe_dtype dtype, const void *data, const int64_t extents[4]) {
  lathe_array array = {dtype, 0, {0}, (void *)(uintptr_t)data, lathe_dtype_size(dtype)};
  for (; array.rank < 4 && extents[array.rank] > 0; ++array.rank) {
    array.extents[array.rank] = extents[array.rank];
    array.size *= (size_t)extents[array.rank];
  }
  check(lathe_npy_write(path(folder, name), &array, &error));
}

/* The command line is two folders, and then options with a number each, which `usage` lists as [--NAME X]: no others. */
static inline void check_words(int count, char **words, const char *usage) {
  require(count >= 3, usage);
  for (int i = 3; i < count; i += 2) {
    const char *known = strncmp(words[i], "--", 2) == 0 ? strstr(usage, words[i]) : NULL;
    if (known && known[-1] == '[' && known[strlen(words[i])] == ' ')
      continue;
    fprintf(stderr, "error: there is no option '%s'; %s\n", words[i], usage);
    exit(1);
  }
}

/* The number behind `name` among the words of a command line that was checked, or `otherwise`. */
static inline int64_t option(char **words, const char *name, int64_t otherwise) {
  for (words += 3; *words; ++words)
    if (strcmp(*words, name) == 0) {
      char *end = NULL;
      const int64_t number = words[1] ? strtoll(words[1], &end, 10) : -1;
      require(end && *end == '\0' && end != words[1] && number >= 0, "an option wants a number that is not negative");
      return number;
    }
  return otherwise;
}

/* The larger number; a NaN where there is one. */
static inline double larger(double a, double b) { return a > b || a != a ? a : b; }

/* The learning rate of step t: half a period of a cosine, from `peak` down to 0 at step `steps` and after it. */
static inline double cosine_rate(double peak, int64_t t, int64_t steps) {
  const double done = (double)t / (double)steps, pi = 3.14159265358979323846;
  return done < 1 ? peak / 2 * (1 + cos(pi * done)) : 0;
}

#endif /* EXAMPLES_APP_H */
