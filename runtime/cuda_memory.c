/* Device memory and the host memory beside it: constants, scratch, and applications' allocations.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "cuda_context.h"

#include <stdlib.h>
#include <string.h>

static void *pointer(cu_pointer place) { return (void *)(uintptr_t)place; }

/* The driver does not allocate 0 bytes. */
static cu_result allocate(cu_pointer *place, uint64_t size) { return lathe_cuda.memory_alloc(place, size ? size : 1); }

static void fail_memory(cuda_context *context, uint64_t size) {
  lathe_cuda_keep(context, (lathe_error){.status = LATHE_ERROR_OUT_OF_MEMORY, .expected = (int64_t)size}, NULL);
}

/* ---- Constants ---- */

/* Returns the slot of a constant in a table, or the free slot for it. */
static cuda_constant *place_of(cuda_constant *table, size_t room, const void *data, uint64_t size) {
  uint64_t hash = (cuda_address(data) ^ size << 48) * 0x9E3779B97F4A7C15u;
  size_t at = (size_t)(hash >> 32) & (room - 1);
  while (table[at].data && (table[at].data != data || table[at].size != size))
    at = (at + 1) & (room - 1);
  return &table[at];
}

static bool grow(cuda_context *context) {
  enum { FIRST_ROOM = 64 };
  if (2 * (context->constant_count + 1) <= context->constant_room)
    return true;
  const size_t room = context->constant_room ? 2 * context->constant_room : FIRST_ROOM;
  cuda_constant *larger = calloc(room, sizeof *larger);
  if (!larger) {
    fail_memory(context, room * sizeof *larger);
    return false;
  }
  for (size_t i = 0; i < context->constant_room; ++i) {
    const cuda_constant *old = &context->constants[i];
    if (old->data)
      *place_of(larger, room, old->data, old->size) = *old;
  }
  free(context->constants);
  context->constants = larger;
  context->constant_room = room;
  return true;
}

/* Waits for the copy, since the application may unmap its weights after the call. */
static cu_pointer upload_constant(cuda_context *context, const void *data, uint64_t size) {
  cu_pointer place = 0;
  if (!lathe_cuda_check(context, allocate(&place, size), NULL, size))
    return 0;
  cu_result result = CU_SUCCESS;
  if (size > 0)
    result = lathe_cuda.copy_to_device(place, data, size, context->stream);
  if (result == CU_SUCCESS)
    result = lathe_cuda.stream_synchronize(context->stream);
  if (lathe_cuda_check(context, result, NULL, 0))
    return place;
  (void)lathe_cuda.memory_free(place);
  return 0;
}

const void *lathe_cuda_constant(lathe_context *base, const void *data, uint64_t size) {
  cuda_context *context = cuda_of(base);
  if (context->failure.status != LATHE_OK || !grow(context))
    return NULL;
  cuda_constant *constant = place_of(context->constants, context->constant_room, data, size);
  if (constant->data)
    return pointer(constant->place);
  if (!lathe_cuda_enter(context))
    return NULL;
  const cu_pointer place = upload_constant(context, data, size);
  lathe_cuda_leave();
  if (place) {
    *constant = (cuda_constant){data, size, place};
    ++context->constant_count;
  }
  return pointer(place);
}

/* ---- Scratch ---- */

static void free_scratch(cuda_context *context, uint32_t index) {
  void *memory = context->scratch[index].memory;
  if (!(index & 1))
    lathe_free(memory);
  else if (memory)
    (void)lathe_cuda.memory_free(cuda_address(memory));
}

/* Returns memory of the host after a failure too, since the host's part of an entry runs to its end. No copy uses the old
 * memory: `read` and `write` wait. */
void *lathe_cuda_scratch(lathe_context *base, uint32_t number, uint64_t size) {
  cuda_context *context = cuda_of(base);
  const uint32_t index = number << 1 | number >> 31; /* LATHE_SCRATCH_ON_DEVICE becomes the lowest bit */
  if (index >= context->scratch_count) {
    const size_t count = (size_t)index + 1;
    cuda_scratch *larger = realloc(context->scratch, count * sizeof *larger);
    if (!larger) {
      fail_memory(context, count * sizeof *larger);
      return NULL;
    }
    memset(larger + context->scratch_count, 0, (count - context->scratch_count) * sizeof *larger);
    context->scratch = larger;
    context->scratch_count = (uint32_t)count;
  }
  cuda_scratch *scratch = &context->scratch[index];
  if (scratch->memory && scratch->size >= size)
    return scratch->memory;
  free_scratch(context, index);
  cu_pointer place = 0;
  if (index & 1)
    (void)lathe_cuda_check(context, allocate(&place, size), NULL, size);
  scratch->memory = index & 1 ? pointer(place) : lathe_alloc(size);
  scratch->size = size;
  if (!scratch->memory)
    fail_memory(context, size);
  return scratch->memory;
}

void lathe_cuda_free_memory(cuda_context *context) {
  for (size_t i = 0; i < context->constant_room; ++i)
    if (context->constants[i].data)
      (void)lathe_cuda.memory_free(context->constants[i].place);
  free(context->constants);
  for (uint32_t i = 0; i < context->scratch_count; ++i)
    free_scratch(context, i);
  free(context->scratch);
}

/* ---- Applications' allocations ---- */

/* These functions run outside calls: a failure is theirs only, but a persistent one is also the context's. */
static lathe_status enter(cuda_context *context, const char *function, lathe_error *error) {
  if (context->broken.status != LATHE_OK) {
    if (error)
      *error = context->broken;
    return context->broken.status;
  }
  return lathe_cuda_tell(context, lathe_cuda_push(context), function, 0, error);
}

void *lathe_cuda_alloc(lathe_context *base, size_t size) {
  cuda_context *context = cuda_of(base);
  cu_pointer place = 0;
  if (enter(context, NULL, NULL) != LATHE_OK)
    return NULL;
  if (allocate(&place, size) == CU_SUCCESS) {
    cu_result result = size > 0 ? lathe_cuda.fill(place, 0, size, context->stream) : CU_SUCCESS;
    if (result == CU_SUCCESS)
      result = lathe_cuda.stream_synchronize(context->stream);
    if (lathe_cuda_tell(context, result, "lathe_context_alloc", 0, NULL) != LATHE_OK) {
      (void)lathe_cuda.memory_free(place);
      place = 0;
    }
  }
  lathe_cuda_leave();
  return pointer(place);
}

/* Frees device memory. Queued work may still use it. Works even if the device's context cannot be made current, since addresses
 * are unique. */
void lathe_cuda_free(lathe_context *base, void *memory) {
  cuda_context *context = cuda_of(base);
  if (!memory)
    return;
  const bool entered = lathe_cuda_push(context) == CU_SUCCESS;
  if (entered)
    (void)lathe_cuda.stream_synchronize(context->stream);
  (void)lathe_cuda.memory_free(cuda_address(memory));
  if (entered)
    lathe_cuda_leave();
}

static lathe_status finish_copy(cuda_context *context, cu_result result, const char *function, lathe_error *error) {
  if (result == CU_SUCCESS)
    result = lathe_cuda.stream_synchronize(context->stream);
  lathe_cuda_leave();
  return lathe_cuda_tell(context, result, function, 0, error);
}

lathe_status lathe_cuda_upload(lathe_context *base, void *to, const void *from, size_t size, lathe_error *error) {
  cuda_context *context = cuda_of(base);
  const lathe_status status = enter(context, "lathe_context_upload", error);
  if (status != LATHE_OK)
    return status;
  const cu_result result = size > 0 ? lathe_cuda.copy_to_device(cuda_address(to), from, size, context->stream) : CU_SUCCESS;
  return finish_copy(context, result, "lathe_context_upload", error);
}

lathe_status lathe_cuda_download(lathe_context *base, void *to, const void *from, size_t size, lathe_error *error) {
  cuda_context *context = cuda_of(base);
  const lathe_status status = enter(context, "lathe_context_download", error);
  if (status != LATHE_OK)
    return status;
  const cu_result result = size > 0 ? lathe_cuda.copy_to_host(to, cuda_address(from), size, context->stream) : CU_SUCCESS;
  return finish_copy(context, result, "lathe_context_download", error);
}
