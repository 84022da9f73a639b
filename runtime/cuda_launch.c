/* Commands for the stream: kernels, zeros, copies on the device.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "cuda_context.h"

enum { MOST_BLOCKS = INT32_MAX, MOST_PARAMETER_BYTES = 4096 };

cu_result lathe_cuda_issue(cuda_context *context, const cuda_command *command, cu_handle stream) {
  if (command->kind == CUDA_CLEAR)
    return lathe_cuda.fill(command->to, 0, command->size, stream);
  if (command->kind == CUDA_COPY)
    return lathe_cuda.copy_on_device(command->to, command->from, command->size, stream);
  const lathe_device_kernel *kernel = command->kernel;
  /* The one parameter is the array itself: the driver copies as many bytes as the kernel declares. */
  void *parameters[] = {(void *)(uintptr_t)command->words};
  _Alignas(CUDA_MAP_ALIGNMENT) unsigned char with_maps[MOST_PARAMETER_BYTES];
  if (kernel->map_count > 0) {
    const cu_result result = lathe_cuda_add_maps(context, command, with_maps);
    if (result != CU_SUCCESS)
      return result;
    parameters[0] = with_maps;
  }
  return lathe_cuda.launch(command->function, command->blocks, 1, 1, kernel->threads, 1, 1, kernel->shared_bytes, stream,
                           parameters, NULL);
}

static void run(cuda_context *context, const cuda_command *command) {
  if (lathe_cuda_record(context, command) || !lathe_cuda_enter(context))
    return;
  cu_result result = lathe_cuda_issue(context, command, context->stream);
  if (result == CU_SUCCESS && context->waits)
    result = lathe_cuda.stream_synchronize(context->stream);
  (void)lathe_cuda_check(context, result, command->row, 0);
  lathe_cuda_leave();
}

/* Drains the stream before and after, since the hook's clock would otherwise only measure queueing. */
static void run_profiled(cuda_context *context, const cuda_command *command) {
  lathe_context *base = &context->own.base;
  if (!lathe_cuda_check(context, lathe_cuda_wait(context), NULL, 0))
    return;
  base->profile(base, command->row, 1);
  run(context, command);
  const cu_result result = lathe_cuda_wait(context);
  base->profile(base, command->row, 0);
  (void)lathe_cuda_check(context, result, command->row, 0);
}

void lathe_cuda_launch(lathe_context *base, const lathe_kernel_info *row, uint32_t kernel, int64_t blocks,
                       const uint64_t *words) {
  cuda_context *context = cuda_of(base);
  if (context->failure.status != LATHE_OK || blocks <= 0)
    return;
  if (blocks > MOST_BLOCKS) {
    lathe_cuda_keep(context,
                    (lathe_error){.status = LATHE_ERROR_DEVICE,
                                  .other = "the kernel has more blocks than the device supports",
                                  .expected = MOST_BLOCKS,
                                  .actual = blocks},
                    row);
    return;
  }
  const cuda_function *function = &context->module->functions[kernel];
  const lathe_device_kernel *code = &context->module->image->kernels[kernel];
  const cuda_command command = {.kind = CUDA_LAUNCH,
                                .row = row,
                                .function = function->handle,
                                .kernel = code,
                                .blocks = code->is_persistent && blocks > function->most_blocks ? function->most_blocks
                                                                                                : (unsigned)blocks,
                                .words = words};
  if (base->profile)
    run_profiled(context, &command);
  else
    run(context, &command);
}

void lathe_cuda_clear(lathe_context *base, void *place, uint64_t size) {
  const cuda_command command = {.kind = CUDA_CLEAR, .to = cuda_address(place), .size = size};
  if (size > 0)
    run(cuda_of(base), &command);
}

void lathe_cuda_copy(lathe_context *base, void *to, const void *from, uint64_t size) {
  const cuda_command command = {.kind = CUDA_COPY, .to = cuda_address(to), .from = cuda_address(from), .size = size};
  if (size > 0 && to != from)
    run(cuda_of(base), &command);
}
