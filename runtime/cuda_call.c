/* A call of an entry on a CUDA device, from start to finish, and its input and output data.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "cuda_context.h"

#include <string.h>

static bool is_on_device(const lathe_context *context, uint32_t argument) {
  const uint32_t last = 63; /* also stands for all later ones */
  return context->device_arguments >> (argument < last ? argument : last) & 1;
}

/* A call that did not finish may have left a failure and a recording. */
static void attach(lathe_context *base, const lathe_device_code *code) {
  cuda_context *context = cuda_of(base);
  lathe_cuda_flush(context);
  context->failure = context->broken;
  if (context->failure.status == LATHE_OK)
    (void)lathe_cuda_load(context, code);
}

static void copy_to_device(cuda_context *context, void *place, const void *host, uint64_t size, bool waits) {
  lathe_cuda_flush(context);
  if (size == 0 || !lathe_cuda_enter(context))
    return;
  cu_result result = lathe_cuda.copy_to_device(cuda_address(place), host, size, context->stream);
  if (result == CU_SUCCESS && waits)
    result = lathe_cuda.stream_synchronize(context->stream);
  (void)lathe_cuda_check(context, result, NULL, 0);
  lathe_cuda_leave();
}

static const void *input(lathe_context *base, uint32_t argument, const void *data, void *place, uint64_t size) {
  if (is_on_device(base, argument))
    return data;
  copy_to_device(cuda_of(base), place, data, size, /*waits=*/false);
  return place;
}

static void *output(lathe_context *base, uint32_t argument, void *data, void *place, uint64_t size) {
  (void)size;
  return is_on_device(base, argument) ? data : place;
}

static void read(lathe_context *base, void *host, const void *place, uint64_t size) {
  cuda_context *context = cuda_of(base);
  lathe_cuda_flush(context);
  if (size == 0)
    return;
  if (lathe_cuda_enter(context)) {
    cu_result result = lathe_cuda.copy_to_host(host, cuda_address(place), size, context->stream);
    if (result == CU_SUCCESS)
      result = lathe_cuda.stream_synchronize(context->stream);
    lathe_cuda_leave();
    if (lathe_cuda_check(context, result, NULL, 0))
      return;
  }
  memset(host, 0, size);
}

/* Waits for the copy, since the caller overwrites the memory next. Drivers do not promise to have read host memory when they
 * return, even if it is not pinned. */
static void write(lathe_context *base, void *place, const void *host, uint64_t size) {
  copy_to_device(cuda_of(base), place, host, size, /*waits=*/true);
}

static void result(lathe_context *base, uint32_t argument, void *data, const void *place, uint64_t size) {
  cuda_context *context = cuda_of(base);
  if (is_on_device(base, argument)) {
    lathe_cuda_copy(base, data, place, size);
    return;
  }
  lathe_cuda_flush(context);
  if (size == 0 || !lathe_cuda_enter(context))
    return;
  (void)lathe_cuda_check(context, lathe_cuda.copy_to_host(data, cuda_address(place), size, context->stream), NULL, 0);
  lathe_cuda_leave();
}

/* Waits after a failure too: work queued before it must not write to the caller's memory once the entry has returned. */
static lathe_status finish(lathe_context *base, const char *function, lathe_error *error) {
  cuda_context *context = cuda_of(base);
  lathe_cuda_flush(context);
  lathe_error *failure = &context->failure;
  if (context->asynchronous) {
    ++context->calls;
    context->function = function;
  } else {
    (void)lathe_cuda_check(context, lathe_cuda_wait(context), NULL, 0);
    context->calls = 0;
  }
  if (failure->status == LATHE_OK)
    return LATHE_OK;
  if (!failure->function)
    failure->function = function;
  if (context->broken.status != LATHE_OK && !context->broken.function)
    context->broken.function = failure->function;
  if (context->asynchronous && context->queued.status == LATHE_OK)
    context->queued = *failure;
  if (error)
    *error = *failure;
  return failure->status;
}

/* ---- For communicators ---- */

static int32_t enter(lathe_context *base) {
  cuda_context *context = cuda_of(base);
  lathe_cuda_flush(context);
  if (!lathe_cuda_enter(context))
    return 0;
  const bool works = lathe_cuda_check(context, lathe_cuda.stream_synchronize(context->stream), NULL, 0);
  if (!works)
    lathe_cuda_leave();
  return works;
}

static void leave(lathe_context *base) {
  (void)base;
  lathe_cuda_leave();
}

static const lathe_device_code *use(lathe_context *base, const lathe_device_code *code) {
  cuda_context *context = cuda_of(base);
  const cuda_module *before = context->module;
  (void)lathe_cuda_load(context, code);
  return before ? before->code : NULL;
}

const lathe_device_api lathe_cuda_api = {
    .attach = attach,
    .input = input,
    .output = output,
    .constant = lathe_cuda_constant,
    .begin = lathe_cuda_begin,
    .launch = lathe_cuda_launch,
    .clear = lathe_cuda_clear,
    .copy = lathe_cuda_copy,
    .read = read,
    .write = write,
    .scratch = lathe_cuda_scratch,
    .end = lathe_cuda_end,
    .result = result,
    .finish = finish,
    .enter = enter,
    .leave = leave,
    .use = use,
};
