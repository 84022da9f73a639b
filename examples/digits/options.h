/* What the command line of digits.c says, and where it finds and leaves its files.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef DIGITS_OPTIONS_H
#define DIGITS_OPTIONS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t seed = 0, epochs = 30, threads = 0;
static int quiet = 0, gpu = 0;
static const char *out = ".", *source = NULL;

static int parse_number(const char *word, int64_t *number) {
  char *end;
  *number = strtoll(word, &end, 10);
  return *word != '\0' && *end == '\0' && *number >= 0;
}

static int parse_options(char **word) {
  for (; *word; ++word) {
    const char *name = *word;
    if (strcmp(name, "--quiet") == 0)
      quiet = 1;
    else if (strcmp(name, "--gpu") == 0)
      gpu = 1;
    else if (name[0] != '-' && !source)
      source = name;
    else if (!*++word)
      return 0;
    else if (strcmp(name, "--out") == 0)
      out = *word;
    else if (!(strcmp(name, "--seed") == 0 && parse_number(*word, &seed)) &&
             !(strcmp(name, "--epochs") == 0 && parse_number(*word, &epochs)) &&
             !(strcmp(name, "--threads") == 0 && parse_number(*word, &threads)))
      return 0;
  }
  return source && epochs > 0 && epochs < 1000000 && threads < 1024;
}

static const char *path(const char *folder, const char *name) {
  static char text[4096];
  snprintf(text, sizeof text, "%s/%s", folder, name);
  return text;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif /* DIGITS_OPTIONS_H */
