/* A strict reader for the JSON in safetensors headers: objects, arrays, strings, integers of 0 or more.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each function returns false if it does not find its element; the caller then refuses the whole text.
 */
#ifndef LATHE_RUNTIME_JSON_H
#define LATHE_RUNTIME_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct lathe_json {
  char *at, *end; /* strings are decoded in place, which overwrites the text */
} lathe_json;

typedef struct lathe_json_string {
  const char *text; /* UTF-8, may contain zero bytes */
  size_t length;
} lathe_json_string;

/* Skips white space, then takes the character if it is next. */
bool lathe_json_accept(lathe_json *json, char c);
bool lathe_json_at_end(lathe_json *json);
bool lathe_json_read_string(lathe_json *json, lathe_json_string *string);
bool lathe_json_read_integer(lathe_json *json, int64_t *value);
bool lathe_json_equal(lathe_json_string string, const char *text);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_JSON_H */
