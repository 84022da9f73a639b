/* What the network sees of a file: 1024 bytes of its beginning, and 1024 of its end.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_BYTES_H
#define EXAMPLES_BYTES_H

#include "app.h"

/* What is sought within a block at either end; the network's number for no byte. */
enum { EACH = 1024, SEEN = 2 * EACH, BLOCK = 4096, NO_BYTE = 256 };

static inline int is_space(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static inline void fail(const char *name, const char *why) {
  fprintf(stderr, "error: %s: %s\n", name, why);
  exit(1);
}

/* Up to a block from `offset` on; how many bytes there are. */
static inline size_t read_block(FILE *file, const char *name, long offset, uint8_t *block) {
  if (fseek(file, offset, SEEK_SET) != 0)
    fail(name, "cannot be read");
  const size_t count = fread(block, 1, BLOCK, file);
  if (ferror(file))
    fail(name, "cannot be read");
  return count;
}

/* White space is skipped before the beginning and behind the end. A block without that many bytes is filled up, behind the
 * beginning and before the end. */
static inline void read_bytes(const char *name, int32_t *bytes) {
  uint8_t block[BLOCK];
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    fail(name, "cannot be read");
  const long length = ftell(file);
  size_t count = read_block(file, name, 0, block), first = 0;
  while (first < count && is_space(block[first]))
    ++first;
  for (size_t i = 0; i < EACH; ++i)
    bytes[i] = first + i < count ? block[first + i] : NO_BYTE;
  count = read_block(file, name, length > BLOCK ? length - BLOCK : 0, block);
  while (count > 0 && is_space(block[count - 1]))
    --count;
  for (size_t i = 0; i < EACH; ++i)
    bytes[SEEN - 1 - i] = i < count ? block[count - 1 - i] : NO_BYTE;
  fclose(file);
}

typedef struct file_list {
  int64_t count;
  int32_t *is_new; /* 0 or 1 */
  int32_t *bytes;  /* i32[count][SEEN] */
} file_list;

/* The first files of a list, `most` at most, a class and a path a line. */
static inline file_list read_list(const char *name, int64_t most) {
  char line[4096];
  file_list list = {0, NULL, NULL};
  FILE *file = fopen(name, "r");
  if (!file)
    fail(name, "cannot be read");
  for (int c; (c = getc(file)) != EOF;)
    list.count += c == '\n' && list.count < most;
  rewind(file);
  list.is_new = allocate((size_t)list.count * sizeof *list.is_new);
  list.bytes = allocate((size_t)list.count * SEEN * sizeof *list.bytes);
  for (int64_t i = 0; i < list.count; ++i) {
    if (!fgets(line, sizeof line, file) || (line[0] != '0' && line[0] != '1') || line[1] != ' ')
      fail(name, "expected a class and a path in each line");
    line[strcspn(line, "\n")] = '\0';
    list.is_new[i] = line[0] - '0';
    read_bytes(line + 2, list.bytes + i * SEEN);
  }
  fclose(file);
  return list;
}

static inline void release_list(file_list *list) {
  lathe_free(list->is_new);
  lathe_free(list->bytes);
}

#endif /* EXAMPLES_BYTES_H */
