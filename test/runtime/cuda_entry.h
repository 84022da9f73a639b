/* The fake driver, and an entry for devices as the compiler writes them: result[i] = data[i] + 1 + table[i].
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_TEST_RUNTIME_CUDA_ENTRY_H
#define LATHE_TEST_RUNTIME_CUDA_ENTRY_H

#include "check.h"
#include "fake_cuda.h"

#include <dlfcn.h>

enum { ELEMENTS = 4, BYTES = ELEMENTS * sizeof(float), WORKSPACE = 3 * BYTES };

/* Beside the folder that a test runs in. Once loaded, it is what the runtime finds by its soname. */
#define FAKE_LIBRARY "../fake-cuda/libcuda.so.1"

static fake_cuda *fake;
static int (*fake_count)(const char *name);

static inline void *fake_symbol(const char *name) {
  static void *library;
  if (!library)
    library = dlopen(FAKE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : NULL;
  if (!symbol) {
    fprintf(stderr, "no %s in %s\n", name, FAKE_LIBRARY);
    exit(1);
  }
  return symbol;
}

static inline void load_fake(void) {
  fake = fake_symbol("fake");
  void *symbol = fake_symbol("fake_count");
  memcpy(&fake_count, &symbol, sizeof symbol);
}

/* A context on a device, and its end: nothing is left then. */
static inline lathe_context *make(int device) {
  lathe_error error = {0};
  lathe_context *context = lathe_context_create_cuda(device, &error);
  if (!context) {
    lathe_error_print(&error);
    exit(1);
  }
  return context;
}

static inline void check_clean(void) {
  CHECK_EQUAL(fake->live, 0);
  CHECK_EQUAL(fake->depth, 0);
  CHECK_EQUAL(fake->relaxed, 0);
  CHECK_EQUAL(fake->misuse, 0);
}

static inline void destroy(lathe_context *context) {
  lathe_context_destroy(context);
  check_clean();
}

/* The call of `name` after `skip` more of them fails. */
static inline void fail_at(const char *name, int skip, int code) {
  fake->skip = skip;
  fake->code = code;
  fake->failing = name;
}

static const lathe_device_kernel entry_kernels[] = {
    {.name = "add_one", .words = 2, .threads = 128},
    {.name = "add", .words = 3, .threads = 128, .shared_bytes = 100 << 10, .is_persistent = 1},
    {.name = "trap", .words = 1, .threads = 32}};
static const lathe_device_image entry_images[] = {{1, 80, 0, 0, 6, "cubin80", entry_kernels},
                                                  {0, 70, 0, 0, 6, "ptx70", entry_kernels},
                                                  {0, 90, 0, 0, 6, "ptx90", entry_kernels},
                                                  {0, 90, 1, 0, 7, "ptx90a", entry_kernels}};
static const lathe_device_code entry_code = {LATHE_ABI_VERSION, 4, 3, 0, entry_images};
static const lathe_kernel_info entry_rows[] = {{"add_one", "lathe.add", "", NULL, "g.mlir", 3},
                                               {"add", "lathe.sub", "", "Sub_1", "m.onnx", 4},
                                               {"trap", "lathe.gather", "", NULL, "g.mlir", 5}};
static const float entry_table[ELEMENTS] = {10, 20, 30, 40};

typedef struct entry_args {
  const float *data;
  float *result;
  void *workspace;
  lathe_context *context;
  lathe_error *error;
} entry_args;

static inline lathe_status run_entry(const entry_args *args) {
  lathe_context *context = args->context;
  const lathe_device_api *device = context->device;
  float *workspace = args->workspace;
  device->attach(context, &entry_code);
  const void *data = device->input(context, 0, args->data, workspace, BYTES);
  void *result = device->output(context, 1, args->result, workspace + ELEMENTS, BYTES);
  const void *table = device->constant(context, entry_table, BYTES);
  const uint64_t sum[] = {(uintptr_t)(workspace + 2 * ELEMENTS), (uintptr_t)data};
  const uint64_t total[] = {(uintptr_t)result, sum[0], (uintptr_t)table};
  if (!device->begin(context, total, sizeof total)) {
    device->clear(context, workspace + 2 * ELEMENTS, BYTES);
    device->launch(context, &entry_rows[0], 0, ELEMENTS, sum);
    device->launch(context, &entry_rows[1], 1, ELEMENTS, total);
  }
  device->end(context);
  device->result(context, 1, args->result, result, BYTES);
  return device->finish(context, "entry", args->error);
}

/* Runs the entry with data `first`, first + 1, ... and checks what it makes. */
static inline void check_entry(lathe_context *context, void *workspace, float first) {
  float data[ELEMENTS], result[ELEMENTS] = {0};
  lathe_error error = {0};
  for (int i = 0; i < ELEMENTS; ++i)
    data[i] = first + (float)i;
  CHECK_EQUAL(run_entry(&(entry_args){data, result, workspace, context, &error}), LATHE_OK);
  for (int i = 0; i < ELEMENTS; ++i)
    CHECK_EQUAL(result[i], data[i] + 1 + entry_table[i]);
}

#endif /* LATHE_TEST_RUNTIME_CUDA_ENTRY_H */
