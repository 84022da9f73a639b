/* Handling of the driver's failures: each call of each function fails once, and some fail for good.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "cuda_entry.h"

/* Nothing that a program does: whether all of it went well is for the caller. */
static lathe_status run_program(lathe_error *error) {
  lathe_context *context = lathe_context_create_cuda(0, error);
  if (!context)
    return error->status;
  float data[ELEMENTS] = {1, 2, 3, 4}, result[ELEMENTS];
  lathe_status first = LATHE_OK;
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  if (!workspace)
    first = LATHE_ERROR_OUT_OF_MEMORY;
  for (int call = 0; call < 4 && workspace; ++call) {
    lathe_error own = {0};
    memset(result, 0, sizeof result);
    const lathe_status status = run_entry(&(entry_args){data, result, workspace, context, &own});
    CHECK_EQUAL(own.status, status);
    CHECK(status == LATHE_OK ? result[3] == 45 : strcmp(own.function, "entry") == 0);
    if (first == LATHE_OK && status != LATHE_OK)
      first = (*error = own).status;
  }
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  return first;
}

/* Failures that pass: the program goes on, whatever it tells is the failure, and where graphs fail there is none to tell. */
static void test_each_call(void) {
  static const char *const functions[] = {"cuDeviceGetCount",
                                          "cuDeviceGet",
                                          "cuDeviceGetAttribute",
                                          "cuDevicePrimaryCtxRetain",
                                          "cuCtxPushCurrent_v2",
                                          "cuStreamCreate",
                                          "cuModuleLoadDataEx",
                                          "cuModuleGetFunction",
                                          "cuFuncSetAttribute",
                                          "cuMemAlloc_v2",
                                          "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                          "cuMemcpyHtoDAsync_v2",
                                          "cuMemcpyDtoHAsync_v2",
                                          "cuMemsetD8Async",
                                          "cuLaunchKernel",
                                          "cuStreamSynchronize",
                                          "cuStreamBeginCapture_v2",
                                          "cuStreamEndCapture",
                                          "cuGraphInstantiateWithFlags",
                                          "cuGraphLaunch"};
  enum { MAY_FAIL = 16 }; /* the others only ever lose a graph */
  for (int i = 0; i < (int)(sizeof functions / sizeof functions[0]); ++i) {
    lathe_error error = {0};
    int told = 0, seen = 0;
    for (int skip = 0;; ++skip) {
      fail_at(functions[i], skip, 1);
      const lathe_status status = run_program(&error);
      if (fake->failing)
        break; /* it was not called that often */
      ++seen;
      told += status != LATHE_OK;
      if (status == LATHE_ERROR_DEVICE)
        CHECK(error.actual == 1 && strcmp(error.other, "CUDA_ERROR_INVALID_VALUE") == 0);
      if (i >= MAY_FAIL)
        CHECK_EQUAL(status, LATHE_OK);
      check_clean();
    }
    fake->failing = NULL;
    CHECK(seen > 0 && (i >= MAY_FAIL || told > 0));
  }
}

/* A thread that cannot stand aside of captures goes on, and stays as it was. */
static void test_captures(void) {
  int seen = 0;
  for (int skip = 0;; skip += 2, ++seen) { /* the calls between bring back what was */
    fail_at("cuThreadExchangeStreamCaptureMode", skip, 1);
    CHECK_EQUAL(run_program(NULL), LATHE_OK);
    if (fake->failing)
      break; /* it was not called that often */
    check_clean();
  }
  fake->failing = NULL;
  CHECK(seen > 0);
}

static void test_texts(void) {
  lathe_error error = {0};
  fail_at("cuStreamCreate", 0, 2);
  CHECK(!lathe_context_create_cuda(0, &error));
  CHECK_MESSAGE(&error, "error: lathe_context_create_cuda: the device is out of memory");
  fail_at("cuDevicePrimaryCtxRetain", 0, 803);
  CHECK(!lathe_context_create_cuda(0, &error));
  CHECK_MESSAGE(&error, "cuDevicePrimaryCtxRetain: the device's driver reports CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)");

  lathe_context *context = make(0);
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  float data[ELEMENTS] = {0}, result[ELEMENTS];
  const entry_args args = {data, result, workspace, context, &error};
  fail_at("cuLaunchKernel", 1, 1);
  CHECK_EQUAL(run_entry(&args), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error,
                "m.onnx:4: error: entry: node 'Sub_1': lathe.sub: the device's driver reports CUDA_ERROR_INVALID_VALUE (1)");
  fail_at("cuModuleLoadDataEx", 0, 1);
  check_entry(context, workspace, 1); /* it is loaded */
  fail_at("cuStreamSynchronize", 0, 1);
  CHECK_EQUAL(run_entry(&args), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "error: entry: the device's driver reports CUDA_ERROR_INVALID_VALUE (1); set LATHE_CUDA_SYNC=1");
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);

  context = make(0);
  fail_at("cuMemAlloc_v2", 0, 2);
  context->device->attach(context, &entry_code);
  CHECK(!context->device->constant(context, entry_table, BYTES));
  CHECK_EQUAL(context->device->finish(context, "entry", &error), LATHE_ERROR_OUT_OF_MEMORY);
  CHECK_MESSAGE(&error, "error: entry: the device is out of memory: 16 bytes cannot be allocated");
  lathe_context_destroy(context);
  check_clean();
}

/* The entry does nothing after a failure but end, and reads zeros; the next one starts anew. */
static void test_first_failure(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  float *memory = lathe_context_alloc(context, BYTES), back[2] = {1, 1};
  const uint64_t words[] = {(uintptr_t)memory, (uintptr_t)memory};
  lathe_error error = {0};
  device->attach(context, &entry_code);
  device->launch(context, &entry_rows[1], 0, INT64_C(1) << 31, words);
  const int launches = fake_count("cuLaunchKernel");
  device->launch(context, &entry_rows[0], 0, 1, words);
  device->read(context, back, memory, sizeof back);
  CHECK(back[0] == 0 && back[1] == 0);
  CHECK(device->begin(context, words, sizeof words) == 1);
  device->end(context);
  CHECK(!device->constant(context, entry_table, BYTES));
  CHECK(device->scratch(context, 0, 64) != NULL);
  CHECK_EQUAL(device->finish(context, "entry", &error), LATHE_ERROR_DEVICE);
  CHECK_EQUAL(fake_count("cuLaunchKernel"), launches);
  CHECK_MESSAGE(&error, "m.onnx:4: error: entry: node 'Sub_1': lathe.sub: the kernel has more blocks than the device supports: "
                        "expected at most 2147483647, got 2147483648");
  device->attach(context, &entry_code);
  device->launch(context, &entry_rows[0], 0, 1, words);
  CHECK_EQUAL(device->finish(context, "entry", &error), LATHE_OK);
  CHECK(memory[0] == 1);
  lathe_context_free(context, memory);
  lathe_context_destroy(context);
  check_clean();
}

/* A communicator does not begin after a failure, and code that cannot be loaded is one. */
static void test_communicator(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  const lathe_device_code wrong = {LATHE_ABI_VERSION - 1, 4, 3, 0, entry_images};
  lathe_error error = {0};
  for (int call = 0; call < 3; ++call) {
    device->attach(context, &entry_code);
    CHECK_EQUAL(device->enter(context), 1);
    if (call == 0) {
      fail_at("cuMemAlloc_v2", 0, 2);
      CHECK(!device->scratch(context, LATHE_SCRATCH_ON_DEVICE, 1000));
    } else if (call == 1) {
      CHECK(device->use(context, &wrong) == &entry_code);
    } else {
      fail_at("cuStreamSynchronize", 0, 1);
    }
    device->leave(context);
    CHECK_EQUAL(device->enter(context), 0);
    CHECK_EQUAL(device->finish(context, "entry", &error), call == 0   ? LATHE_ERROR_OUT_OF_MEMORY
                                                          : call == 1 ? LATHE_ERROR_ABI
                                                                      : LATHE_ERROR_DEVICE);
    CHECK_EQUAL(error.expected, call == 0 ? 1000 : call == 1 ? LATHE_ABI_VERSION : 0);
  }
  lathe_context_destroy(context);
  check_clean();
}

static lathe_status attach(const lathe_device_code *code, lathe_error *error) {
  lathe_context *context = make(0);
  context->device->attach(context, code);
  context->device->launch(context, &entry_rows[0], 0, 1, NULL); /* not with a module that is not there */
  const lathe_status status = context->device->finish(context, "entry", error);
  lathe_context_destroy(context);
  check_clean();
  return status;
}

static void test_bad_code(void) {
  lathe_error error = {0};
  const lathe_device_kernel unknown[] = {{.name = "no_such", .words = 1, .threads = 32}};
  const lathe_device_kernel large[] = {{.name = "add", .words = 3, .threads = 32, .shared_bytes = 300 << 10}};
  const lathe_device_image bad[] = {{0, 70, 0, 0, 4, "bad", entry_kernels}}, newer[] = {{0, 80, 0, 0, 4, "new", entry_kernels}};
  const lathe_device_image strange[] = {{0, 80, 0, 0, 4, "ptx", unknown}}, greedy[] = {{0, 80, 0, 0, 4, "ptx", large}};
  CHECK_EQUAL(attach(&(lathe_device_code){LATHE_ABI_VERSION - 1, 4, 3, 0, entry_images}, &error), LATHE_ERROR_ABI);
  CHECK_MESSAGE(&error, "entry: the runtime and the object do not match: expected ABI version");
  CHECK_EQUAL(attach(&(lathe_device_code){LATHE_ABI_VERSION, 1, 3, 0, bad}, &error), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "entry: loading the object's code: the device's driver reports CUDA_ERROR_INVALID_PTX (218)");
  CHECK_EQUAL(attach(&(lathe_device_code){LATHE_ABI_VERSION, 1, 3, 0, newer}, &error), LATHE_ERROR_NO_DEVICE);
  CHECK_MESSAGE(&error,
                "entry: the driver is too old for the object's code (CUDA_ERROR_UNSUPPORTED_PTX_VERSION); call entries");
  CHECK_EQUAL(attach(&(lathe_device_code){LATHE_ABI_VERSION, 0, 3, 0, NULL}, &error), LATHE_ERROR_NO_DEVICE);
  CHECK_EQUAL(attach(&(lathe_device_code){LATHE_ABI_VERSION, 1, 1, 0, strange}, &error), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "no_such: the device's driver reports CUDA_ERROR_NOT_FOUND (500)");
  CHECK_EQUAL(attach(&(lathe_device_code){LATHE_ABI_VERSION, 1, 1, 0, greedy}, &error), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "add: the device's driver reports CUDA_ERROR_INVALID_VALUE (1)");
}

static lathe_status run_trap(lathe_context *context, const char *function, lathe_error *error) {
  const uint64_t words[] = {0};
  context->device->attach(context, &entry_code);
  context->device->launch(context, &entry_rows[2], 2, 1, words);
  return context->device->finish(context, function, error);
}

static void test_asynchronous(void) {
  lathe_context *context = make(0);
  lathe_context_set_asynchronous(context, 1);
  lathe_error error = {0};
  float data[ELEMENTS] = {0}, result[ELEMENTS];
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  const entry_args args = {data, result, workspace, context, &error};
  fail_at("cuLaunchKernel", 0, 1);
  CHECK_EQUAL(run_entry(&args), LATHE_ERROR_DEVICE);
  CHECK_EQUAL(run_entry(&args), LATHE_OK);
  error = (lathe_error){0};
  CHECK_EQUAL(lathe_context_synchronize(context, &error), LATHE_ERROR_DEVICE); /* told again: all since the last time */
  CHECK_MESSAGE(&error, "g.mlir:3: error: entry: lathe.add: the device's driver reports");
  CHECK_EQUAL(lathe_context_synchronize(context, &error), LATHE_OK);
  fail_at("cuStreamSynchronize", 0, 1);
  run_entry(&args);
  CHECK_EQUAL(lathe_context_synchronize(context, &error), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "error: entry: the device's driver reports"); /* of one call, it is that one's */
  fail_at("cuStreamSynchronize", 0, 1);
  run_entry(&args);
  run_entry(&args);
  CHECK_EQUAL(lathe_context_synchronize(context, NULL), LATHE_ERROR_DEVICE);
  lathe_context_free(context, workspace);
  lathe_context_destroy(context);
  check_clean();
}

/* Last: the fake's device does not come back. */
static void test_lasting(void) {
  lathe_context *context = make(0), *waiting, *cpu = lathe_context_create(1);
  setenv("LATHE_CUDA_SYNC", "1", 1);
  waiting = make(0);
  unsetenv("LATHE_CUDA_SYNC");
  lathe_error error = {0}, later = {0};
  float *memory = lathe_context_alloc(context, WORKSPACE);
  for (int call = 0; call < 3; ++call)
    check_entry(context, memory, 1);
  CHECK_EQUAL(run_trap(waiting, "predict", &error), LATHE_ERROR_DEVICE);
  CHECK_MESSAGE(&error, "g.mlir:5: error: predict: lathe.gather: the device's driver reports CUDA_ERROR_LAUNCH_FAILED (719)");
  CHECK_EQUAL(run_trap(context, "train", &error), LATHE_ERROR_DEVICE);
  float data[ELEMENTS] = {0}, result[ELEMENTS];
  for (int call = 0; call < 3; ++call) {
    CHECK_EQUAL(run_entry(&(entry_args){data, result, memory, context, &later}), LATHE_ERROR_DEVICE);
    CHECK(later.actual == 719 && strcmp(later.function, "train") == 0 && later.line == 5);
  }
  CHECK(!lathe_context_alloc(context, 64));
  CHECK_EQUAL(lathe_context_upload(context, memory, data, BYTES, &later), LATHE_ERROR_DEVICE);
  CHECK_EQUAL(lathe_context_download(context, data, memory, BYTES, NULL), LATHE_ERROR_DEVICE);
  CHECK_EQUAL(lathe_context_synchronize(context, &later), LATHE_ERROR_DEVICE);
  CHECK_EQUAL(later.actual, 719);

  void *host = lathe_context_alloc(cpu, 64);
  CHECK_EQUAL(lathe_context_upload(cpu, host, data, BYTES, NULL), LATHE_OK);
  CHECK_EQUAL(lathe_context_download(cpu, result, host, BYTES, NULL), LATHE_OK);
  CHECK_EQUAL(lathe_context_upload(NULL, host, data, BYTES, NULL), LATHE_OK);
  lathe_context_free(cpu, host);
  lathe_context_free(context, memory);
  lathe_context_destroy(cpu);
  lathe_context_destroy(context);
  lathe_context_destroy(waiting);
}

/* After the failures of which NVIDIA's header says so nothing works any more, and the driver is not asked again. For
 * 719 see test_lasting. */
static void test_which_last(void) {
  static const int lasting[] = {4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 721, 810, 911, 999};
  static const int passing[] = {1, 2, 701, 703, 720, 900, 901};
  enum { LASTING = sizeof lasting / sizeof lasting[0], PASSING = sizeof passing / sizeof passing[0] };
  for (int i = 0; i < LASTING + PASSING; ++i) {
    const int code = i < LASTING ? lasting[i] : passing[i - LASTING];
    lathe_context *context = make(0);
    void *workspace = lathe_context_alloc(context, WORKSPACE);
    lathe_error error = {0};
    float data[ELEMENTS] = {0}, result[ELEMENTS];
    const entry_args args = {data, result, workspace, context, &error};
    fail_at("cuLaunchKernel", 0, code);
    CHECK(run_entry(&args) != LATHE_OK);
    CHECK_EQUAL(run_entry(&args) != LATHE_OK, i < LASTING);
    lathe_context_free(context, workspace);
    lathe_context_destroy(context);
    check_clean();
  }
}

int main(void) {
  load_fake();
  test_each_call();
  test_captures();
  test_texts();
  test_first_failure();
  test_communicator();
  test_bad_code();
  test_asynchronous();
  test_which_last();
  test_lasting();
  return check_result();
}
