/* Memory with the alignment that state and workspace need.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 2 << 20, LARGE = 4 << 20 };

/* Uses calloc, because its large blocks come zeroed and untouched from the system. Their pages are created on first use by
 * the thread that uses them. The block's own address is stored just before the aligned one. */
void *lathe_alloc(size_t size) {
  const size_t alignment = size >= LARGE ? PAGE : LINE;
  const size_t extra = alignment + LINE + sizeof(void *);
  if (size > SIZE_MAX / 2)
    return NULL;
  char *block = calloc(1, size + extra);
  if (!block)
    return NULL;
  const size_t start = sizeof(void *);
  char *memory = block + start + (alignment - ((uintptr_t)(block + start) & (alignment - 1))) % alignment;
  if (alignment == PAGE)
    (void)madvise(memory, size / PAGE * PAGE, MADV_HUGEPAGE); /* a hint: the system may not support it */
  ((void **)(void *)memory)[-1] = block;
  return memory;
}

void lathe_free(void *memory) {
  if (memory)
    free(((void **)memory)[-1]);
}
