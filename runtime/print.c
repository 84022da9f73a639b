/* Prints values while a graph runs.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "internal.h"
#include "text.h"

#include <inttypes.h>

static int64_t count_of(const int64_t *extents, uint32_t rank) {
  int64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i)
    count *= extents[i];
  return count;
}

/* Writes "[2, 5]", the index of a part in row-major order. */
static void write_index(FILE *out, int64_t part, const int64_t *extents, uint32_t rank) {
  int64_t parts = count_of(extents, rank);
  for (uint32_t i = 0; i < rank; ++i) {
    parts /= extents[i];
    fprintf(out, "%s%" PRId64, i == 0 ? "[" : ", ", part / parts);
    part %= parts;
  }
  if (rank > 0)
    fputc(']', out);
}

void lathe_print(lathe_context *context, const lathe_print_info *info, const int64_t *extents, const void *data,
                 const uint8_t *mask) {
  (void)context;
  const int64_t parts = count_of(extents, info->mask_rank), *shape = extents + info->mask_rank;
  const uint32_t rank = info->rank - info->mask_rank;
  const size_t size = (size_t)count_of(shape, rank) * lathe_dtype_size(info->dtype);
  flockfile(stderr); /* keeps lines whole if other threads write */
  for (int64_t part = 0; part < parts; ++part) {
    if (mask && !mask[part])
      continue;
    fprintf(stderr, "%s:%" PRId32 ": %s", info->file, info->line, info->text ? info->text : "value");
    write_index(stderr, part, extents, info->mask_rank);
    lathe_write_tensor(stderr, info->dtype, rank, shape, (const char *)data + (size_t)part * size);
    fputc('\n', stderr);
  }
  funlockfile(stderr);
}
