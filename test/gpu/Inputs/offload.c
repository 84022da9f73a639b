/* Steps on a GPU whose values move to pinned memory of the host, against steps without a budget: the same bits. What a context
 * recorded for one region of that memory is not used for another one.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "free.h"
#include "lathe/runtime.h"
#include "small.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 8, REGIONS = 2 };

static float x[64 * 64], z[4 * 64 * 64];

static void require(int good, const char *what) {
  if (good)
    return;
  printf("failed: %s\n", what);
  exit(1);
}

static void *pinned[REGIONS];

static void *symbol(void *driver, const char *name) {
  void *found = dlsym(driver, name);
  require(found != NULL, name);
  return found;
}

/* Memory of the host that kernels on the device can access. */
static void allocate_pinned(size_t size) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
  int device = 0;
  require(driver != NULL, "libcuda.so.1");
  int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), (*set)(void *), (*allocate)(void **, size_t, unsigned);
  *(void **)&init = symbol(driver, "cuInit");
  *(void **)&get = symbol(driver, "cuDeviceGet");
  *(void **)&retain = symbol(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&set = symbol(driver, "cuCtxSetCurrent");
  *(void **)&allocate = symbol(driver, "cuMemHostAlloc");
  require(!init(0) && !get(&device, 0) && !retain(&context, device) && !set(context), "a context");
  for (int i = 0; i < REGIONS; ++i)
    require(!allocate(&pinned[i], size, 0), "pinned memory");
}

int main(void) {
  lathe_error error = {0};
  lathe_context *context = lathe_context_create_cuda(0, &error);
  if (!context) {
    lathe_error_print(&error);
    return 1;
  }
  require(SMALL_STEP_WORKSPACE_SIZE < FREE_STEP_WORKSPACE_SIZE && SMALL_STEP_COLD_WORKSPACE_SIZE > 0, "a smaller workspace");
  allocate_pinned(SMALL_STEP_COLD_WORKSPACE_SIZE);
  for (size_t i = 0; i < sizeof z / sizeof *z; ++i)
    z[i] = (float)(i * 7919 % 1000) / 1000 - 0.5f;
  void *workspace = lathe_context_alloc(context, FREE_STEP_WORKSPACE_SIZE);
  void *states[2] = {lathe_context_alloc(context, FREE_STATE_SIZE), lathe_context_alloc(context, FREE_STATE_SIZE)};
  static float values[2][64 * 64];
  for (size_t i = 0; i < 64 * 64; ++i)
    values[0][i] = (float)(i * 104729 % 1000) / 4000 - 0.125f;
  for (int i = 0; i < 2; ++i)
    require(lathe_context_upload(context, states[i], values[0], sizeof values[0], &error) == LATHE_OK, "upload");
  for (int step = 0; step < STEPS; ++step) {
    float losses[2] = {0, 0};
    void *cold = pinned[step / 2 % REGIONS], *other = pinned[1 - step / 2 % REGIONS];
    memset(cold, 0xFF, SMALL_STEP_COLD_WORKSPACE_SIZE);
    memset(other, 0xFF, SMALL_STEP_COLD_WORKSPACE_SIZE);
    free_step_args all = {.x = x,
                          .z = z,
                          .loss = &losses[0],
                          .state = states[0],
                          .workspace = workspace,
                          .workspace_size = FREE_STEP_WORKSPACE_SIZE,
                          .context = context,
                          .error = &error};
    small_step_args less = {.x = x,
                            .z = z,
                            .loss = &losses[1],
                            .state = states[1],
                            .workspace = workspace,
                            .workspace_size = SMALL_STEP_WORKSPACE_SIZE,
                            .cold_workspace = cold,
                            .cold_workspace_size = SMALL_STEP_COLD_WORKSPACE_SIZE,
                            .context = context,
                            .error = &error};
    if (free_step(&all) != LATHE_OK || small_step(&less) != LATHE_OK) {
      lathe_error_print(&error);
      return 1;
    }
    require(memcmp(&losses[0], &losses[1], sizeof(float)) == 0, "the same losses");
    int is_used = 0, is_other_used = 0;
    for (size_t i = 0; i < SMALL_STEP_COLD_WORKSPACE_SIZE; ++i) {
      is_used |= ((unsigned char *)cold)[i] != 0xFF;
      is_other_used |= ((unsigned char *)other)[i] != 0xFF;
    }
    require(is_used && !is_other_used, "values in the region of the call");
  }
  for (int i = 0; i < 2; ++i)
    require(lathe_context_download(context, values[i], states[i], sizeof values[i], &error) == LATHE_OK, "download");
  require(memcmp(values[0], values[1], sizeof values[0]) == 0, "the same state");
  lathe_context_free(context, workspace);
  lathe_context_free(context, states[0]);
  lathe_context_free(context, states[1]);
  lathe_context_destroy(context);
  printf("they agree to the bit\n");
  return 0;
}
