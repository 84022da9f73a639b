/* The little that the runtime's tests need: checks that count, and files as bytes.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_CHECK_H
#define LATHE_TEST_RUNTIME_CHECK_H

#include "lathe/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                                                       \
  ((condition) ? (void)0 : (void)(++check_failures, fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition)))

#define CHECK_EQUAL(actual, expected) check_equal(__FILE__, __LINE__, #actual, (int64_t)(actual), (int64_t)(expected))

/* The error's line of text must hold `part`. */
#define CHECK_MESSAGE(error, part) check_message(__FILE__, __LINE__, error, part)

static inline void check_equal(const char *file, int line, const char *text, int64_t actual, int64_t expected) {
  if (actual == expected)
    return;
  ++check_failures;
  fprintf(stderr, "%s:%d: failed: %s is %" PRId64 ", expected %" PRId64 "\n", file, line, text, actual, expected);
}

static inline void check_message(const char *file, int line, const lathe_error *error, const char *part) {
  char text[512];
  lathe_error_format(error, text, sizeof text);
  if (strstr(text, part))
    return;
  ++check_failures;
  fprintf(stderr, "%s:%d: failed: '%s' is not in: %s\n", file, line, part, text);
}

static inline int check_result(void) {
  if (check_failures > 0)
    fprintf(stderr, "%d checks failed\n", check_failures);
  return check_failures > 0;
}

static inline void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size);
  if (file)
    CHECK(fclose(file) == 0);
}

/* The caller frees the bytes. */
static inline unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  if (!file)
    exit(1);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  CHECK(bytes && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

#endif /* LATHE_TEST_RUNTIME_CHECK_H */
