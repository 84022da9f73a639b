/* Opens the CUDA driver at run time.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { OLDEST_VERSION = 12000 };

lathe_cuda_driver lathe_cuda;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static lathe_error failure; /* of opening the driver, which is not repeated */

static void fail(const char *what, const char *argument, int64_t expected, int64_t actual) {
  failure = (lathe_error){
      .status = LATHE_ERROR_NO_DEVICE, .argument = argument, .other = what, .expected = expected, .actual = actual};
}

/* dlsym returns a function's address as an object pointer, which C does not convert. */
static bool find(void *library, const char *symbol, void *function) {
  void *address = dlsym(library, symbol);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

/* Checks the version first: an old driver also lacks functions, and its version explains more than their names. */
static bool find_functions(void *library) {
  int version = 0;
  if (!find(library, "cuDriverGetVersion", &lathe_cuda.driver_version) || lathe_cuda.driver_version(&version) != CU_SUCCESS)
    version = 0;
  if (version < OLDEST_VERSION) {
    fail("the NVIDIA driver is too old for CUDA 12.0", NULL, OLDEST_VERSION, version);
    return false;
  }
#define FIND(member, symbol, parameters)                                                                                       \
  if (!find(library, #symbol, &lathe_cuda.member)) {                                                                           \
    fail("the NVIDIA driver lacks a function", #symbol, OLDEST_VERSION, version);                                              \
    return false;                                                                                                              \
  }
  LATHE_CUDA_FUNCTIONS(FIND)
#undef FIND
  return true;
}

static void open_driver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail("there is no NVIDIA driver: libcuda.so.1 cannot be loaded", NULL, 0, 0);
    return;
  }
  if (!find_functions(library)) {
    dlclose(library);
    return;
  }
  const cu_result result = lathe_cuda.init(0);
  if (result == CU_NO_DEVICE)
    fail("there is no CUDA device", NULL, 0, 0);
  else if (result != CU_SUCCESS)
    fail("the NVIDIA driver cannot be initialised", lathe_cuda_error_name(result), 0, 0);
}

lathe_status lathe_cuda_open(const char *function, lathe_error *error) {
  pthread_once(&opened, open_driver);
  if (failure.status != LATHE_OK && error) {
    *error = failure;
    error->function = function;
  }
  return failure.status;
}

const char *lathe_cuda_error_name(cu_result result) {
  const char *name = NULL;
  return lathe_cuda.error_name(result, &name) == CU_SUCCESS && name ? name : "an unknown failure";
}
