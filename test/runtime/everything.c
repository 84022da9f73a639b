/* A program that uses all of the runtime, and looks at its own size: stripped, less than 100 KB.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "lathe/ranks.h"
#include "module.h"

#include <sys/stat.h>

static void square(void *closure, int64_t slot, int64_t begin, int64_t end) {
  (void)slot;
  for (float *at = (float *)closure + begin; at < (float *)closure + end; ++at)
    *at *= *at;
}

int main(void) {
  lathe_error error = {0};
  lathe_context *context = lathe_context_create(0);
  float *data = lathe_alloc(1024 * sizeof *data);
  data[7] = 3;
  context->parallel_for(context, square, data, 1024, 16, lathe_context_threads(context));
  CHECK(data[7] == 9);
  printf("level %d, %d threads\n", (int)lathe_cpu_level(), lathe_context_threads(context));

  lathe_array array = {LATHE_F32, 1, {1024}, data, 1024 * lathe_dtype_size(LATHE_F32)}, back = {0};
  CHECK_EQUAL(lathe_npy_write("everything.npy", &array, &error), LATHE_OK);
  CHECK_EQUAL(lathe_npy_read("everything.npy", &back, &error), LATHE_OK);
  printf("%s %s\n", lathe_dtype_name(back.dtype), lathe_status_name(error.status));
  lathe_array_release(&back);
  CHECK_EQUAL(lathe_state_save("everything.safetensors", &test_module, data, &error), LATHE_OK);
  CHECK_EQUAL(lathe_state_load("everything.safetensors", &test_module, data, &error), LATHE_OK);
  remove("everything.npy");
  remove("everything.safetensors");
  lathe_error_print(&error);
  lathe_context_destroy(context);

  context = lathe_context_create_cuda(0, &error);
  if (!context)
    lathe_error_print(&error);
  lathe_context_destroy(context);

  lathe_shards *shards = lathe_shards_create(&test_module, "train_step", &context, 1, &error);
  CHECK(!shards);
  lathe_shards_destroy(shards);

  const lathe_axis axis = {"data", 1, 0};
  lathe_comm *comm = NULL;
  CHECK_EQUAL(lathe_comm_create_local(&axis, 1, 1, &comm, &error), LATHE_OK);
  CHECK_EQUAL(lathe_state_save_ranks("everything", &test_module, data, comm, &error), LATHE_OK);
  CHECK_EQUAL(lathe_state_load_ranks("everything", &test_module, data, comm, &error), LATHE_OK);
  CHECK_EQUAL(lathe_comm_create_nccl(comm, NULL, &comm, &error), LATHE_ERROR_NO_DEVICE);
  lathe_comm_destroy(comm);

  lathe_free(data);

  struct stat self;
  CHECK(stat("/proc/self/exe", &self) == 0);
  printf("%ld bytes\n", (long)self.st_size);
  CHECK(self.st_size < 100 * 1024);
  return check_result();
}
