/* Contexts on a CUDA device: creation, release, waiting and the handling of failures.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "cuda_context.h"

#include <stdlib.h>
#include <string.h>

/* ---- The current context of a thread ---- */

/* The device's context is pushed and popped around each use. A thread may work with several devices, and its own current
 * context, which the application's hooks and functions see between two uses, must not change. The thread's capture mode is
 * switched too: while another thread captures for all threads, this one could otherwise neither allocate nor load. */
static _Thread_local struct {
  uint32_t depth;       /* of lathe_cuda_push */
  bool stands_aside;    /* the capture mode was switched by the first of them */
  cu_flag capture_mode; /* before that */
} thread;

cu_result lathe_cuda_push(const cuda_context *context) {
  const cu_result result = lathe_cuda.context_push(context->primary);
  if (result == CU_SUCCESS && thread.depth++ == 0) {
    thread.capture_mode = CU_CAPTURE_RELAXED;
    thread.stands_aside = lathe_cuda.capture_mode(&thread.capture_mode) == CU_SUCCESS;
  }
  return result;
}

void lathe_cuda_leave(void) {
  cu_handle popped;
  if (--thread.depth == 0 && thread.stands_aside)
    (void)lathe_cuda.capture_mode(&thread.capture_mode);
  (void)lathe_cuda.context_pop(&popped);
}

bool lathe_cuda_enter(cuda_context *context) {
  if (context->failure.status != LATHE_OK)
    return false;
  return lathe_cuda_check(context, lathe_cuda_push(context), NULL, 0);
}

cu_result lathe_cuda_wait(cuda_context *context) {
  cu_result result = lathe_cuda_push(context);
  if (result != CU_SUCCESS)
    return result;
  result = lathe_cuda.stream_synchronize(context->stream);
  lathe_cuda_leave();
  return result;
}

/* ---- Failures ---- */

/* True if all later calls fail too, in each context on the device. */
static bool is_lasting(cu_result result) {
  switch (result) {
  case CU_DEINITIALIZED:
  case CU_ECC_UNCORRECTABLE:
  case CU_NVLINK_UNCORRECTABLE:
  case CU_CONTAINED:
  case CU_ILLEGAL_ADDRESS:
  case CU_LAUNCH_TIMEOUT:
  case CU_CONTEXT_IS_DESTROYED:
  case CU_ASSERT:
  case CU_HARDWARE_STACK_ERROR:
  case CU_ILLEGAL_INSTRUCTION:
  case CU_MISALIGNED_ADDRESS:
  case CU_INVALID_ADDRESS_SPACE:
  case CU_INVALID_PC:
  case CU_LAUNCH_FAILED:
  case CU_TENSOR_MEMORY_LEAK:
  case CU_MPS_CLIENT_TERMINATED:
  case CU_EXTERNAL_DEVICE:
  case CU_UNKNOWN:
    return true;
  default:
    return false;
  }
}

static lathe_error record_of(cu_result result, const char *function, uint64_t size) {
  lathe_error record = {.status = LATHE_ERROR_DEVICE, .function = function, .other = lathe_cuda_error_name(result)};
  if (result == CU_OUT_OF_MEMORY) {
    record.status = LATHE_ERROR_OUT_OF_MEMORY;
    record.expected = (int64_t)size;
  } else {
    record.actual = result;
  }
  return record;
}

static void tell_place(lathe_error *record, const lathe_kernel_info *row) {
  if (!row)
    return;
  record->op = row->op;
  record->node = row->node;
  record->file = row->file;
  record->line = row->line;
}

static lathe_error report(cuda_context *context, cu_result result, const char *function, const lathe_kernel_info *row,
                          uint64_t size) {
  lathe_error record = record_of(result, function, size);
  tell_place(&record, row);
  if (is_lasting(result) && context->broken.status == LATHE_OK)
    context->broken = record;
  return record;
}

void lathe_cuda_keep(cuda_context *context, lathe_error failure, const lathe_kernel_info *row) {
  if (context->failure.status != LATHE_OK)
    return;
  context->failure = failure;
  tell_place(&context->failure, row);
}

bool lathe_cuda_check(cuda_context *context, cu_result result, const lathe_kernel_info *row, uint64_t size) {
  if (result == CU_SUCCESS)
    return true;
  lathe_cuda_keep(context, report(context, result, NULL, row, size), row);
  return false;
}

lathe_status lathe_cuda_tell(cuda_context *context, cu_result result, const char *function, uint64_t size, lathe_error *error) {
  if (result == CU_SUCCESS)
    return LATHE_OK;
  const lathe_error record = report(context, result, function, NULL, size);
  if (error)
    *error = record;
  return record.status;
}

/* ---- Waiting ---- */

static void set_asynchronous(lathe_context *base, int asynchronous) { cuda_of(base)->asynchronous = asynchronous != 0; }

/* Reports a failure that is only seen here. It may come from any call since the last synchronisation; after a single call it
 * is that call's. */
static lathe_status synchronize(lathe_context *base, lathe_error *error) {
  cuda_context *context = cuda_of(base);
  lathe_error first = context->queued;
  const cu_result result = lathe_cuda_wait(context);
  if (first.status == LATHE_OK && context->broken.status != LATHE_OK)
    first = context->broken;
  if (first.status == LATHE_OK)
    lathe_cuda_tell(context, result, context->calls == 1 ? context->function : "lathe_context_synchronize", 0, &first);
  context->queued = (lathe_error){0};
  context->calls = 0;
  if (first.status != LATHE_OK && error)
    *error = first;
  return first.status;
}

/* ---- Making and ending ---- */

/* Releases each part even if the device's context cannot be made current: the driver finds most of them by their handles. */
static void release(lathe_context *base) {
  cuda_context *context = cuda_of(base);
  if (!context->primary)
    return;
  const bool has_stream = context->own_stream || context->is_given_stream;
  const bool entered = lathe_cuda_push(context) == CU_SUCCESS;
  if (entered && has_stream)
    (void)lathe_cuda.stream_synchronize(context->stream);
  lathe_cuda_free_graphs(context);
  lathe_cuda_unload(context);
  lathe_cuda_free_memory(context);
  if (context->own_stream)
    (void)lathe_cuda.stream_destroy(context->own_stream);
  if (entered)
    lathe_cuda_leave();
  (void)lathe_cuda.primary_release(context->device);
}

static const lathe_backend backend = {
    release, set_asynchronous, synchronize, lathe_cuda_alloc, lathe_cuda_free, lathe_cuda_upload, lathe_cuda_download,
};

static bool is_set(const char *name, char value) {
  const char *text = getenv(name);
  return text && text[0] == value && text[1] == '\0';
}

/* Reports a failure to create a context, with the driver function that failed. */
static bool works(cu_result result, const char *call, const char *function, lathe_error *error) {
  if (result == CU_SUCCESS)
    return true;
  if (error) {
    *error = record_of(result, function, 0);
    error->argument = call;
  }
  return false;
}

static bool open_device(cuda_context *context, int number, const char *function, lathe_error *error) {
  int major = 0, minor = 0, processors = 0;
  cu_result result;
  if (!works(lathe_cuda.device_get(&context->device, number), "cuDeviceGet", function, error) ||
      !works(lathe_cuda.device_attribute(&major, CU_CAPABILITY_MAJOR, context->device), "cuDeviceGetAttribute", function,
             error) ||
      !works(lathe_cuda.device_attribute(&minor, CU_CAPABILITY_MINOR, context->device), "cuDeviceGetAttribute", function,
             error) ||
      !works(lathe_cuda.device_attribute(&processors, CU_PROCESSORS, context->device), "cuDeviceGetAttribute", function, error))
    return false;
  context->capability = (uint32_t)(major * 10 + minor);
  context->processors = (uint32_t)processors;
  result = lathe_cuda.primary_retain(&context->primary, context->device);
  if (result != CU_SUCCESS)
    context->primary = NULL; /* release tests this */
  if (!works(result, "cuDevicePrimaryCtxRetain", function, error))
    return false;
  if (!works(lathe_cuda_push(context), "cuCtxPushCurrent", function, error))
    return false;
  result = lathe_cuda.stream_create(&context->own_stream, CU_STREAM_CONCURRENT);
  lathe_cuda_leave();
  if (result != CU_SUCCESS)
    context->own_stream = NULL;
  if (!context->is_given_stream)
    context->stream = context->own_stream;
  return works(result, "cuStreamCreate", function, error);
}

static int count_devices(const char *function, lathe_error *error) {
  int count = 0;
  if (lathe_cuda_open(function, error) != LATHE_OK ||
      !works(lathe_cuda.device_count(&count), "cuDeviceGetCount", function, error))
    return 0;
  if (count <= 0 && error)
    *error = (lathe_error){.status = LATHE_ERROR_NO_DEVICE, .function = function, .other = "there is no CUDA device"};
  return count > 0 ? count : 0;
}

static lathe_context *create(int number, bool is_given_stream, cu_handle stream, const char *function, lathe_error *error) {
  const int count = count_devices(function, error);
  if (count == 0)
    return NULL;
  if (number < 0 || number >= count) {
    if (error)
      *error = (lathe_error){.status = LATHE_ERROR_NO_DEVICE,
                             .function = function,
                             .argument = "device",
                             .other = "no CUDA device has this number",
                             .expected = count,
                             .actual = number};
    return NULL;
  }
  cuda_context *context = (cuda_context *)lathe_context_make(sizeof *context, 1);
  if (!context) {
    lathe_fail_memory(error, function, NULL, sizeof *context);
    return NULL;
  }
  context->own.backend = &backend;
  context->own.base.device = &lathe_cuda_api;
  context->is_given_stream = is_given_stream;
  context->stream = stream;
  context->waits = is_set("LATHE_CUDA_SYNC", '1');
  context->logs = is_set("LATHE_CUDA_LOG", '1');
  context->records = !context->waits && !is_set("LATHE_CUDA_GRAPHS", '0');
  if (open_device(context, number, function, error))
    return &context->own.base;
  lathe_context_destroy(&context->own.base);
  return NULL;
}

int lathe_cuda_device_count(lathe_error *error) { return count_devices("lathe_cuda_device_count", error); }

lathe_context *lathe_context_create_cuda(int device, lathe_error *error) {
  return create(device, false, NULL, "lathe_context_create_cuda", error);
}

lathe_context *lathe_context_create_cuda_on_stream(int device, void *stream, lathe_error *error) {
  return create(device, true, stream, "lathe_context_create_cuda_on_stream", error);
}
