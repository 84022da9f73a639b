/* Contexts: the thread pool and the CPU level that entries use.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct own_context {
  lathe_context base; /* first: generated code and applications see only this */
  lathe_pool *pool;
} own_context;

static void parallel_for(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  lathe_pool_run(((own_context *)context)->pool, body, closure, count, grain, slots);
}

/* LATHE_CPU only ever lowers the level: a level that this CPU lacks would end in SIGILL. */
static uint32_t chosen_level(void) {
  const uint32_t level = lathe_cpu_level();
  const char *wish = getenv("LATHE_CPU");
  const char prefix[] = "x86-64-v";
  if (!wish || strncmp(wish, prefix, sizeof prefix - 1) != 0)
    return level;
  const char *digit = wish + sizeof prefix - 1;
  if (digit[0] < '2' || digit[0] > '4' || digit[1] != '\0')
    return level;
  const uint32_t wished = (uint32_t)(digit[0] - '0');
  return wished < level ? wished : level;
}

lathe_context *lathe_context_create(int threads) {
  if (threads < 0)
    return NULL;
  own_context *context = lathe_alloc(sizeof *context);
  if (!context)
    return NULL;
  context->pool = lathe_pool_create(threads ? threads : lathe_cpu_count());
  if (!context->pool) {
    lathe_free(context);
    return NULL;
  }
  context->base.abi_version = LATHE_ABI_VERSION;
  context->base.cpu_level = chosen_level();
  context->base.parallel_for = parallel_for;
  context->base.print = lathe_print;
  return &context->base;
}

void lathe_context_destroy(lathe_context *context) {
  if (!context)
    return;
  lathe_pool_destroy(((own_context *)context)->pool);
  lathe_free(context);
}

int lathe_context_threads(const lathe_context *context) {
  return context ? lathe_pool_threads(((const own_context *)context)->pool) : 1;
}
