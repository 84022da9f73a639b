/* Loads an object's code for the context's device.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "cuda_context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_WITHOUT_ASKING = 48 << 10, LOG_SIZE = 16 << 10 };

/* Returns how well an image suits, 0 if it does not. Cubins come first, since they need no compiling; a cubin also runs on
 * later minor versions of its major one. PTX for one capability may use features that PTX for all cannot; the latter
 * compiles for any later capability. */
static uint32_t suits(const lathe_device_image *image, uint32_t capability) {
  enum { PTX = 1 << 16, EXACT_PTX = 2 << 16, CUBIN = 3 << 16 };
  if (image->capability > capability || (image->is_exact && image->capability != capability))
    return 0;
  if (image->is_cubin)
    return image->capability / 10 == capability / 10 ? CUBIN + image->capability : 0;
  return (image->is_exact ? EXACT_PTX : PTX) + image->capability;
}

/* Returns the best image that is worse than `limit`, and sets `limit` to its rank. Only the first of equally good ones is
 * tried. */
static const lathe_device_image *next_image(const lathe_device_code *code, uint32_t capability, uint32_t *limit) {
  const lathe_device_image *best = NULL;
  uint32_t most = 0;
  for (uint32_t i = 0; i < code->image_count; ++i) {
    const uint32_t score = suits(&code->images[i], capability);
    if (score > most && score < *limit) {
      most = score;
      best = &code->images[i];
    }
  }
  *limit = most;
  return best;
}

static cu_result load_image(const cuda_context *context, const lathe_device_image *image, cu_handle *module) {
  if (!context->logs)
    return lathe_cuda.module_load(module, image->data, 0, NULL, NULL);
  static const char none[] = "";
  char *logs = calloc(2, LOG_SIZE);
  cu_flag options[] = {CU_JIT_INFO, CU_JIT_INFO_SIZE, CU_JIT_ERROR, CU_JIT_ERROR_SIZE};
  /* Sizes are passed as pointer values. */
  void *size = (void *)(uintptr_t)LOG_SIZE, *values[] = {logs, size, logs ? logs + LOG_SIZE : NULL, size};
  const cu_result result = lathe_cuda.module_load(module, image->data, logs ? 4 : 0, options, values);
  if (logs)
    logs[LOG_SIZE - 1] = logs[2 * LOG_SIZE - 1] = '\0';
  fprintf(stderr, "lathe: %s for capability %" PRIu32 "%s on a device of %" PRIu32 ": %s\n%s%s",
          image->is_cubin ? "cubin" : "PTX", image->capability, image->is_exact ? "a" : "", context->capability,
          result == CU_SUCCESS ? "loaded" : lathe_cuda_error_name(result), logs ? logs : none, logs ? logs + LOG_SIZE : none);
  free(logs);
  return result;
}

static void fail_without_code(cuda_context *context, const lathe_device_code *code, cu_result last) {
  lathe_error failure = {.status = LATHE_ERROR_NO_DEVICE, .argument = "capability", .actual = context->capability};
  failure.other = "the object has no code for this device";
  failure.expected = code->image_count > 0 ? INT64_MAX : 0;
  for (uint32_t i = 0; i < code->image_count; ++i)
    if (code->images[i].capability < failure.expected)
      failure.expected = code->images[i].capability;
  if (last == CU_UNSUPPORTED_PTX_VERSION || last == CU_INVALID_IMAGE) {
    failure.argument = lathe_cuda_error_name(last);
    failure.other = "the driver is too old for the object's code";
  }
  lathe_cuda_keep(context, failure, NULL);
}

/* True if another image may work. Drivers report a cubin of a later assembler as an invalid image. */
static bool may_pass_over(const lathe_device_image *image, cu_result result) {
  return result == CU_NO_BINARY_FOR_GPU || result == CU_UNSUPPORTED_PTX_VERSION ||
         (image->is_cubin && result == CU_INVALID_IMAGE);
}

/* Loads the first image that the driver accepts. Returns false and records the failure if there is none. */
static bool load_best(cuda_context *context, const lathe_device_code *code, cuda_module *module) {
  uint32_t limit = UINT32_MAX;
  cu_result result = CU_SUCCESS;
  const lathe_device_image *image;
  while ((image = next_image(code, context->capability, &limit))) {
    module->image = image;
    result = load_image(context, image, &module->handle);
    if (result == CU_SUCCESS)
      return true;
    module->handle = NULL;
    if (!may_pass_over(image, result)) {
      (void)lathe_cuda_check(context, result, NULL, 0);
      if (context->failure.status == LATHE_ERROR_DEVICE)
        context->failure.argument = "loading the object's code";
      return false;
    }
  }
  fail_without_code(context, code, result);
  return false;
}

static bool find_functions(cuda_context *context, cuda_module *module) {
  for (uint32_t i = 0; i < module->code->kernel_count; ++i) {
    const lathe_device_kernel *kernel = &module->image->kernels[i];
    cuda_function *function = &module->functions[i];
    int resident = 0;
    cu_result result = lathe_cuda.module_function(&function->handle, module->handle, kernel->name);
    if (result == CU_SUCCESS && kernel->shared_bytes > SHARED_WITHOUT_ASKING)
      result = lathe_cuda.function_set(function->handle, CU_DYNAMIC_SHARED_BYTES, (int)kernel->shared_bytes);
    if (result == CU_SUCCESS && kernel->is_persistent)
      result = lathe_cuda.resident_blocks(&resident, function->handle, (int)kernel->threads, kernel->shared_bytes);
    function->most_blocks = context->processors * (uint32_t)(resident > 1 ? resident : 1);
    if (!lathe_cuda_check(context, result, NULL, 0)) {
      context->failure.argument = kernel->name;
      return false;
    }
  }
  return true;
}

static bool make_module(cuda_context *context, const lathe_device_code *code) {
  const size_t size = sizeof(cuda_module) + code->kernel_count * sizeof(cuda_function);
  cuda_module *module = calloc(1, size);
  if (!module) {
    lathe_cuda_keep(context, (lathe_error){.status = LATHE_ERROR_OUT_OF_MEMORY, .expected = (int64_t)size}, NULL);
    return false;
  }
  module->code = code;
  if (!load_best(context, code, module) || !find_functions(context, module)) {
    if (module->handle)
      (void)lathe_cuda.module_unload(module->handle);
    free(module);
    return false;
  }
  module->next = context->module;
  context->module = module;
  return true;
}

bool lathe_cuda_load(cuda_context *context, const lathe_device_code *code) {
  for (cuda_module **at = &context->module; *at; at = &(*at)->next) {
    cuda_module *module = *at;
    if (module->code != code)
      continue;
    *at = module->next;
    module->next = context->module;
    context->module = module;
    return true;
  }
  if (code->abi_version != LATHE_ABI_VERSION) {
    lathe_cuda_keep(context,
                    (lathe_error){.status = LATHE_ERROR_ABI, .expected = LATHE_ABI_VERSION, .actual = code->abi_version}, NULL);
    return false;
  }
  if (!lathe_cuda_enter(context))
    return false;
  const bool made = make_module(context, code);
  lathe_cuda_leave();
  return made;
}

void lathe_cuda_unload(cuda_context *context) {
  while (context->module) {
    cuda_module *module = context->module;
    context->module = module->next;
    (void)lathe_cuda.module_unload(module->handle);
    free(module);
  }
}
