/* A strict reader for the JSON in safetensors headers.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "json.h"

#include <string.h>

static void skip_space(lathe_json *json) {
  while (json->at < json->end && (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r'))
    ++json->at;
}

bool lathe_json_accept(lathe_json *json, char c) {
  skip_space(json);
  if (json->at == json->end || *json->at != c)
    return false;
  ++json->at;
  return true;
}

bool lathe_json_at_end(lathe_json *json) {
  skip_space(json);
  return json->at == json->end;
}

static bool read_hex4(lathe_json *json, uint32_t *value) {
  if (json->end - json->at < 4)
    return false;
  *value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = *json->at++;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0)
      return false;
    *value = *value << 4 | (uint32_t)digit;
  }
  return true;
}

/* Reads the digits after "\u"; two surrogates encode code points beyond U+FFFF. */
static bool read_code_point(lathe_json *json, uint32_t *point) {
  if (!read_hex4(json, point) || (*point >= 0xDC00 && *point < 0xE000))
    return false;
  if (*point < 0xD800 || *point >= 0xE000)
    return true;
  uint32_t low;
  if (json->end - json->at < 2 || *json->at++ != '\\' || *json->at++ != 'u' || !read_hex4(json, &low))
    return false;
  if (low < 0xDC00 || low >= 0xE000)
    return false;
  *point = 0x10000 + ((*point - 0xD800) << 10) + (low - 0xDC00);
  return true;
}

static char *put_utf8(char *to, uint32_t point) {
  const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static const uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  *to++ = (char)(lead[more] | point >> (6 * more));
  for (int i = more - 1; i >= 0; --i)
    *to++ = (char)(0x80 | ((point >> (6 * i)) & 0x3F));
  return to;
}

/* Reads the rest of an escape after its backslash. The result is never longer than the escape. */
static bool read_escape(lathe_json *json, char **to) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  if (json->at == json->end)
    return false;
  const char c = *json->at++;
  if (c == 'u') {
    uint32_t point;
    if (!read_code_point(json, &point))
      return false;
    *to = put_utf8(*to, point);
    return true;
  }
  const char *found = memchr(names, c, sizeof names - 1);
  if (!found)
    return false;
  *(*to)++ = values[found - names];
  return true;
}

bool lathe_json_read_string(lathe_json *json, lathe_json_string *string) {
  if (!lathe_json_accept(json, '"'))
    return false;
  char *begin = json->at, *to = begin;
  while (json->at < json->end) {
    const char c = *json->at++;
    if (c == '"') {
      *string = (lathe_json_string){begin, (size_t)(to - begin)};
      return true;
    }
    if ((unsigned char)c < 0x20)
      return false;
    if (c != '\\')
      *to++ = c;
    else if (!read_escape(json, &to))
      return false;
  }
  return false;
}

bool lathe_json_read_integer(lathe_json *json, int64_t *value) {
  skip_space(json);
  const char *begin = json->at;
  *value = 0;
  for (; json->at < json->end && *json->at >= '0' && *json->at <= '9'; ++json->at)
    if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *json->at - '0', value))
      return false;
  const ptrdiff_t digits = json->at - begin;
  return digits > 0 && (digits == 1 || *begin != '0');
}

bool lathe_json_equal(lathe_json_string string, const char *text) {
  return strlen(text) == string.length && memcmp(string.text, text, string.length) == 0;
}
