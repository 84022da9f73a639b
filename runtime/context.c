/* Contexts: the thread pool and the CPU level that entries use, and the backend of a device.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static void parallel_for(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  lathe_pool_run(((lathe_own_context *)context)->pool, body, closure, count, grain, slots);
}

/* LATHE_CPU can only lower the level: a level that this CPU lacks would end in SIGILL. */
static uint32_t chosen_level(void) {
  const uint32_t level = lathe_cpu_level();
  const char *wish = getenv("LATHE_CPU");
  for (uint32_t wished = 2; wish && wished < level; ++wished)
    if (strcmp(wish, lathe_level_name(wished)) == 0)
      return wished;
  return level;
}

lathe_own_context *lathe_context_make(size_t size, int threads) {
  lathe_own_context *context = lathe_alloc(size);
  if (!context)
    return NULL;
  context->pool = lathe_pool_create(threads);
  if (!context->pool) {
    lathe_free(context);
    return NULL;
  }
  context->base.abi_version = LATHE_ABI_VERSION;
  context->base.cpu_level = chosen_level();
  context->base.parallel_for = parallel_for;
  context->base.print = lathe_print;
  return context;
}

lathe_context *lathe_context_create(int threads) {
  if (threads < 0)
    return NULL;
  lathe_own_context *context = lathe_context_make(sizeof *context, threads ? threads : lathe_cpu_count());
  return context ? &context->base : NULL;
}

void lathe_context_destroy(lathe_context *context) {
  if (!context)
    return;
  const lathe_backend *backend = ((lathe_own_context *)context)->backend;
  if (backend)
    backend->release(context);
  lathe_pool_destroy(((lathe_own_context *)context)->pool);
  lathe_free(context);
}

int lathe_context_threads(const lathe_context *context) {
  return context ? lathe_pool_threads(((const lathe_own_context *)context)->pool) : 1;
}

/* Only the runtime makes contexts with a device. An application's own context ends with the base struct. */
static const lathe_backend *backend_of(const lathe_context *context) {
  return context && context->device ? ((const lathe_own_context *)context)->backend : NULL;
}

void lathe_context_set_asynchronous(lathe_context *context, int asynchronous) {
  const lathe_backend *backend = backend_of(context);
  if (backend)
    backend->set_asynchronous(context, asynchronous);
}

lathe_status lathe_context_synchronize(lathe_context *context, lathe_error *error) {
  const lathe_backend *backend = backend_of(context);
  return backend ? backend->synchronize(context, error) : LATHE_OK;
}

void *lathe_context_alloc(lathe_context *context, size_t size) {
  const lathe_backend *backend = backend_of(context);
  return backend ? backend->alloc(context, size) : lathe_alloc(size);
}

void lathe_context_free(lathe_context *context, void *memory) {
  const lathe_backend *backend = backend_of(context);
  if (backend)
    backend->free(context, memory);
  else
    lathe_free(memory);
}

lathe_status lathe_context_upload(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error) {
  const lathe_backend *backend = backend_of(context);
  if (backend)
    return backend->upload(context, to, from, size, error);
  if (size > 0)
    memcpy(to, from, size);
  return LATHE_OK;
}

lathe_status lathe_context_download(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error) {
  const lathe_backend *backend = backend_of(context);
  if (backend)
    return backend->download(context, to, from, size, error);
  if (size > 0)
    memcpy(to, from, size);
  return LATHE_OK;
}
